# An example.org of this machine alone, in a network namespace: nginx with http and https, vsftpd with ftp and ftps, a
# SOCKS and an http proxy, a mounted NAS, and a certificate that the whole namespace trusts. Other scripts source this
# after common.sh, first of all: they are run again inside, with swoop on the PATH. `folder` is theirs, `site` is what
# is served: files of `site_size`, each http connection at `site_rate` bytes a second (nginx's limit_rate; 0: as fast as
# it can).
# shellcheck shell=bash

if [ -z "${SWOOP_NAMESPACE:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo "${0##*/}: only root can make a network namespace" >&2; exit 1; }
  "$root/Scripts/setup.sh"
  build_release swoop scripted-server
  exec unshare --net --mount env SWOOP_NAMESPACE=1 bash "$0" "$@"
fi

make_folder "${TMPDIR:-/tmp}"
site=$folder/site
mkdir -p "$site" "$folder"/{bin,nginx,config}
ln -s "$release/swoop" "$folder/bin/swoop"
export PATH=$folder/bin:$PATH XDG_CONFIG_HOME=$folder/config TERM=xterm-256color

# What is served, and what is to be had of it.
for name in debian.iso other.iso a.iso b.iso private.iso backup.tar; do
  head -c "${site_size:-12M}" /dev/urandom >"$site/$name"
done
# One digest fits both.
cp "$site/debian.iso" "$site/other.iso"
mkdir "$folder/tree"
head -c 3M /dev/urandom >"$folder/tree/inner.bin"
tar -C "$folder/tree" -czf "$site/source.tar.gz" inner.bin
{
  printf '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="debian.iso"><hash type="sha-256">%s</hash>' \
    "$(sha256sum <"$site/debian.iso" | cut -d' ' -f1)"
  printf '<url>https://example.org/debian.iso</url></file></metalink>\n'
} >"$site/debian.iso.meta4"
list_digests() {
  (cd "$site" && rm -f SHA256SUMS && sha256sum -- * >"$folder/SHA256SUMS" && mv "$folder/SHA256SUMS" .)
}
list_digests

# The certificate stands in for those of the whole system, but only in this namespace.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=example.org \
  -addext "subjectAltName=DNS:example.org,DNS:*.example.org,DNS:mirror.example.net,DNS:other.example.com" \
  -keyout "$folder/nginx/key.pem" -out "$folder/nginx/cert.pem" 2>/dev/null
mount --make-rprivate /
mount --bind "$folder/nginx/cert.pem" /etc/ssl/certs/ca-certificates.crt
printf '127.0.0.1 %s\n' localhost example.org {intranet,proxy,ftp}.example.org mirror.example.net other.example.com \
  >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
printf '::1 example.org\n' >>"$folder/hosts"
ip link set lo up
for address in 192.0.2.7 192.0.2.9; do ip address add "$address/32" dev lo; done

# A NAS at /mnt/nas, a file system for all at /mnt/shared, and the home of alice, whom the namespace alone knows.
if [[ $root/ == /mnt/* || $folder/ == /mnt/* ]]; then
  echo "${0##*/}: /mnt is to be a file system of its own; neither this package nor TMPDIR can be there" >&2
  exit 1
fi
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/{nas,shared,alice}
cp "$site/debian.iso" /mnt/nas
cp "$site/debian.iso" /mnt/alice
{ echo 'alice:x:54321:54321::/mnt/alice:/bin/sh'; cat /etc/passwd; } >"$folder/passwd"
{ echo "alice:$(openssl passwd -6 secret):::::::"; cat /etc/shadow; } >"$folder/shadow"
chmod 644 "$folder/passwd"
chmod 600 "$folder/shadow"
for name in passwd shadow; do mount --bind "$folder/$name" "/etc/$name"; done

cat >"$folder/nginx/nginx.conf" <<CONF
daemon off; pid $folder/nginx/pid; error_log $folder/nginx/error.log; user root;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path $folder/nginx/b; proxy_temp_path $folder/nginx/p; fastcgi_temp_path $folder/nginx/f;
  uwsgi_temp_path $folder/nginx/u; scgi_temp_path $folder/nginx/s;
  map "\$http_authorization|\$http_cookie" \$may_read {
    "Bearer TOKEN|" 1; "~^Basic YWxpY2U6c2VjcmV0[|]" 1; "~[|].*session=1" 1; default 0;
  }
  server {
    listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;
    ssl_certificate $folder/nginx/cert.pem; ssl_certificate_key $folder/nginx/key.pem;
    root $site; limit_rate ${site_rate:-0};
    location = /private.iso { if (\$may_read = 0) { return 403; } }
    location = /d.iso { alias $site/debian.iso; }
  }
}
CONF
nginx -c "$folder/nginx/nginx.conf" 2>/dev/null &
children+=($!)

# start_vsftpd NAME OPTIONS...: with what its two servers have in common.
start_vsftpd() {
  printf '%s\n' listen=YES background=NO connect_from_port_20=NO "secure_chroot_dir=$folder/ftp/empty" \
    seccomp_sandbox=NO isolate=NO isolate_network=NO "${@:2}" >"$folder/ftp/$1.conf"
  "$(command -v vsftpd || echo /usr/sbin/vsftpd)" "$folder/ftp/$1.conf" >/dev/null 2>&1 </dev/null &
  children+=($!)
}
mkdir -p "$folder/ftp"/{empty,pub}
ln "$site/debian.iso" "$folder/ftp/pub"
start_vsftpd anonymous listen_port=21 anonymous_enable=YES local_enable=NO run_as_launching_user=YES \
  "anon_root=$folder/ftp"
start_vsftpd alice listen_port=990 anonymous_enable=NO local_enable=YES ssl_enable=YES implicit_ssl=YES \
  ssl_ciphers=HIGH "rsa_cert_file=$folder/nginx/cert.pem" "rsa_private_key_file=$folder/nginx/key.pem"

microsocks -i 127.0.0.1 -p 1080 2>/dev/null &
children+=($!)
printf 'Port 3128\nListen 127.0.0.1\nConnectPort 443\nLogLevel Error\n' >"$folder/tinyproxy.conf"
tinyproxy -d -c "$folder/tinyproxy.conf" >/dev/null 2>&1 &
children+=($!)
for port in 21 80 443 990 1080 3128; do
  for ((tries = 0; tries < 200; tries++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.05
  done
  [ "$tries" -lt 200 ] || { echo "${0##*/}: nothing listens on port $port" >&2; exit 1; }
done
