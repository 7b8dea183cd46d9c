package enum Engine {}
