# What the other scripts share; they source it. The caller has set `set -euo pipefail`.
# shellcheck shell=bash

# The package's folder, wherever the script was called from.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$root/.build/release

# A crash of anything here must end at once, not in a backtrace that waits for a terminal.
export SWIFT_BACKTRACE=enable=no

# Builds products of the package for release, the one way that all scripts share, so that nothing is built twice.
# Prints only what went wrong. Without the local rpath a program takes no libraries from the folder that it is in.
build_release() {
  local product
  for product in "$@"; do
    run_quietly swift build --package-path "$root" -c release --disable-local-rpath --product "$product"
  done
}

# Runs a command and shows its output only if it fails.
run_quietly() {
  local output
  output=$("$@" 2>&1 </dev/null) && return 0
  printf '%s\n' "$output" >&2
  return 1
}

# The processes that this script has started, ended in clean_up.
children=()

# start_service PROGRAM OPTIONS...: starts a program of the package that writes one line once it listens; `line` is that.
start_service() {
  : >"$folder/line"
  "$release/$1" "${@:2}" >"$folder/line" </dev/null &
  children+=($!)
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    line=$(<"$folder/line")
    [ -n "$line" ] && return 0
    sleep 0.05
  done
  echo "$1 does not start" >&2
  return 1
}

# Starts the scripted server with the given options; `url` is then what it serves.
serve() {
  start_service scripted-server "$@"
  url=$line
}

# Ends what was started last.
stop_last_child() {
  local last=$((${#children[@]} - 1))
  kill "${children[last]}"
  wait "${children[last]}" 2>/dev/null || true
  unset "children[last]"
}

# A folder of the script's own in the one given, removed when the script ends, in whatever way.
make_folder() {
  folder=$(mktemp -d "$1/swoop.XXXXXX")
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

clean_up() {
  local child
  for child in "${children[@]}"; do
    kill "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  done
  rm -rf "$folder"
}

# make_file SIZE FILE: bytes that look random and are always the same.
make_file() {
  openssl enc -aes-128-ctr -nosalt -pass pass:swoop -pbkdf2 -in /dev/zero 2>/dev/null | head -c "$1" >"$2" || true
}

nginx_program() {
  command -v nginx || echo /usr/sbin/nginx
}

# start_nginx: serves $folder/served on a free port, as this user; sets `port`. It stays beside what is measured.
start_nginx() {
  local tries user=
  [ "$(id -u)" -ne 0 ] || user='user root;'
  for ((tries = 0; tries < 10; tries++)); do
    port=$((20000 + RANDOM % 10000))
    cat >"$folder/nginx.conf" <<END
$user
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log $folder/error.log;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  server { listen 127.0.0.1:$port; root $folder/served; }
}
END
    "$(nginx_program)" -p "$folder" -e "$folder/error.log" -c "$folder/nginx.conf" </dev/null >/dev/null 2>&1 &
    children+=($!)
    sleep 0.5
    kill -0 $! 2>/dev/null && curl -qsI --noproxy "*" -o "$folder/head" "http://127.0.0.1:$port/" && return 0
  done
  echo "nginx does not start:" >&2
  cat "$folder/error.log" >&2
  return 1
}

# Seconds between two values of $EPOCHREALTIME.
seconds_between() {
  awk -v a="${1/,/.}" -v b="${2/,/.}" 'BEGIN { printf "%.3f", b - a }'
}
