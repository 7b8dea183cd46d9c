#!/usr/bin/env bash
# How swoop compares with curl where the network costs nothing: a file from nginx on loopback, to a tmpfs and to a
# disk, with 1, 2, 8 and 64 connections; aria2c and axel beside it. The runs alternate, one of each in every round.
# The table has the medians; on the disk everyone's time includes the sync, which swoop does by itself.
#
#   Scripts/bench/loopback.sh [--size BYTES] [--rounds N] [--only WORDS]
#
#   --size BYTES   such as 256M (default 1G)
#   --rounds N     (default 5)
#   --only WORDS   places and contenders, with commas: tmpfs,swoop-8,curl (default all; curl is always there)
set -euo pipefail
source "$(dirname "$0")/../common.sh"

size=1G rounds=5 only=
while [ $# -gt 0 ]; do
  case "$1" in
    --size) size=${2:?} ;;
    --rounds) rounds=${2:?} ;;
    --only) only=${2:?} ;;
    *) sed -n '/^#   S/,/^set/s/^# *//p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done

contenders=(curl swoop-1 swoop-2 swoop-8 swoop-64 aria2c-16 axel-16)
places=(tmpfs disk)

# chosen WORDS...: those of the words that --only names; all if it names none of them.
chosen() {
  local word some=()
  for word in "$@"; do
    [[ ,$only, != *,$word,* ]] || some+=("$word")
  done
  [ ${#some[@]} -gt 0 ] || some=("$@")
  printf '%s\n' "${some[@]}"
}
mapfile -t places < <(chosen "${places[@]}")
mapfile -t contenders < <(chosen "${contenders[@]}" | grep -vx curl)
contenders=(curl "${contenders[@]}")

"$root/Scripts/setup.sh" --bench
echo "bench: building" >&2
build_release swoop

mkdir -p "$root/.build"
make_folder /dev/shm
tmpfs=$folder
disk=$(mktemp -d "$root/.build/bench.XXXXXX")
trap 'clean_up; rm -rf "$disk"' EXIT

mkdir "$tmpfs/served"
truncate -s "$size" "$tmpfs/served/file.bin"
size=$(stat -c %s "$tmpfs/served/file.bin")
openssl enc -aes-128-ctr -nosalt -pass pass:swoop -pbkdf2 -in /dev/zero 2>/dev/null | head -c "$size" \
  >"$tmpfs/served/file.bin" || true

# start_nginx: on a free port, as this user; sets `url`.
start_nginx() {
  local port tries nginx user=
  nginx=$(command -v nginx || echo /usr/sbin/nginx)
  [ "$(id -u)" -ne 0 ] || user='user root;'
  for ((tries = 0; tries < 10; tries++)); do
    port=$((20000 + RANDOM % 10000))
    cat >"$tmpfs/nginx.conf" <<END
$user
daemon off;
worker_processes 1;
pid $tmpfs/nginx.pid;
error_log $tmpfs/error.log;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path $tmpfs/body;
  proxy_temp_path $tmpfs/proxy;
  fastcgi_temp_path $tmpfs/fastcgi;
  uwsgi_temp_path $tmpfs/uwsgi;
  scgi_temp_path $tmpfs/scgi;
  server { listen 127.0.0.1:$port; root $tmpfs/served; }
}
END
    "$nginx" -p "$tmpfs" -e "$tmpfs/error.log" -c "$tmpfs/nginx.conf" </dev/null >/dev/null 2>&1 &
    children+=($!)
    sleep 0.5
    url=http://127.0.0.1:$port/file.bin
    kill -0 $! 2>/dev/null && curl -sfI -o "$tmpfs/head" "$url" && return 0
  done
  echo "bench: nginx does not start:" >&2
  cat "$tmpfs/error.log" >&2
  return 1
}

# command_of CONTENDER FOLDER: the words that fetch $url to $folder/out.
command_of() {
  local n=${1##*-}
  case "$1" in
    curl) echo "curl -s -o out '$url'" ;;
    swoop-*) echo "'$release/swoop' -q -n $n -o out '$url'" ;;
    aria2c-*) echo "aria2c -q --no-conf -x $n -s $n -k 1M -o out '$url' >aria2c.log" ;;
    axel-*) echo "axel -q -n $n -o out '$url' >axel.log" ;;
  esac
}

# measure PLACE CONTENDER ROUND: one run, one line of results: place, contender, wall, user, system, KiB.
measure() {
  local place=$1 contender=$2 command begin wall
  command=$(command_of "$contender")
  [[ $place != disk || $contender == swoop-* ]] || command+=" && sync -d out"
  cd "${!place}"
  begin=$EPOCHREALTIME
  if ! /usr/bin/time -o time -f '%U %S %M' sh -c "$command" </dev/null 2>errors; then
    echo "bench: $contender failed:" >&2
    cat errors >&2
    return 1
  fi
  wall=$(seconds_between "$begin" "$EPOCHREALTIME")
  echo "$place $contender $wall $(tail -n 1 time)" >>"$tmpfs/results"
  [ "$3" -ne 1 ] || cmp out "$tmpfs/served/file.bin"
  rm -f out* ./*.log
}

# median PLACE CONTENDER EXPRESSION: of an awk expression over the fields of the results.
median() {
  awk -v p="$1" -v c="$2" "\$1 == p && \$2 == c { print $3 }" "$tmpfs/results" | sort -n |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

table() {
  local place contender wall cpu curl_wall curl_cpu
  printf '%-6s %-10s %8s %7s %8s %7s %9s\n' to with 'wall s' 'x curl' 'CPU s' 'x curl' 'peak MiB'
  for place in "${places[@]}"; do
    curl_wall=$(median "$place" curl '$3')
    curl_cpu=$(median "$place" curl '$4 + $5')
    for contender in "${contenders[@]}"; do
      wall=$(median "$place" "$contender" '$3')
      cpu=$(median "$place" "$contender" '$4 + $5')
      awk -v p="$place" -v n="$contender" -v w="$wall" -v cw="$curl_wall" -v c="$cpu" -v cc="$curl_cpu" \
        -v m="$(median "$place" "$contender" '$6 / 1024')" 'BEGIN {
          printf "%-6s %-10s %8.3f %7.2f %8.2f %7.2f %9.1f\n", p, n, w, cw ? w / cw : 0, c, cc ? c / cc : 0, m }'
    done
  done
}

start_nginx
for ((round = 1; round <= rounds; round++)); do
  echo "bench: round $round of $rounds" >&2
  for place in "${places[@]}"; do
    # Each round begins with another one: the first run after a change of place may find a colder machine.
    for index in "${!contenders[@]}"; do
      measure "$place" "${contenders[(index + round) % ${#contenders[@]}]}" "$round"
    done
  done
done

echo "$size bytes from nginx on loopback; medians of $rounds alternating runs; $(nproc) cores"
table
