#!/usr/bin/env bash
# Builds the image of one service without Docker and without a registry, and tries it out.
#
#   scripts/image.sh gateway            builds localhost/worlds/gateway:dev and runs the checks
#   scripts/image.sh gateway --archive F.tar   also writes it as a docker archive
#
# Needs root, buildah, podman, runc and debootstrap (Debian packages). The bases are made once of the distribution's
# packages and of the Node.js that is here.
set -euo pipefail
cd "$(dirname "$0")/.."
service=${1:?usage: scripts/image.sh SERVICE [--archive FILE]}
archive=""
if [ "${2:-}" = --archive ]; then archive=${3:?--archive takes a file}; fi
for tool in buildah podman runc debootstrap; do
  if ! command -v "$tool" > /dev/null; then
    echo "left out: building the image of $service, for $tool is not here." >&2
    exit 0
  fi
done
image=localhost/worlds/$service:dev
version=$(node -p process.versions.node)
build=localhost/worlds/node-build:$version
runtime=localhost/worlds/node-runtime:$version
store=(--storage-driver overlay)
say() { echo "== $1"; }

make_bases() {
  if buildah "${store[@]}" inspect "$build" > /dev/null 2>&1 && buildah "${store[@]}" inspect "$runtime" > /dev/null 2>&1; then return; fi
  say "making the base images"
  local root
  root=$(mktemp -d)
  # A compiler, for what the packages' own builds of native code are too new for this Node.js.
  debootstrap --variant=minbase --include=ca-certificates,g++,make,python3 bookworm "$root/full" > "$root/log" 2>&1 || { tail -5 "$root/log" >&2; exit 1; }
  local node npm headers
  node=$(readlink -f "$(command -v node)")
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  headers=$(dirname "$(dirname "$node")")/include/node

  local c m
  c=$(buildah "${store[@]}" from scratch)
  buildah "${store[@]}" copy -q "$c" "$root/full" /
  buildah "${store[@]}" copy -q "$c" "$node" /usr/local/bin/node
  buildah "${store[@]}" copy -q "$c" "$npm" /usr/local/lib/node_modules/npm
  # Without them node-gyp fetches them.
  if [ -d "$headers" ]; then
    buildah "${store[@]}" copy -q "$c" "$headers" /usr/local/include/node
    buildah "${store[@]}" config --env npm_config_nodedir=/usr/local "$c"
  fi
  # A mirror's own authority is for building alone.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    buildah "${store[@]}" copy -q "$c" "$NODE_EXTRA_CA_CERTS" /etc/ssl/certs/build-ca.crt
    buildah "${store[@]}" config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/build-ca.crt "$c"
  fi
  m=$(buildah "${store[@]}" mount "$c")
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$m/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$m/usr/local/bin/npx"
  for name in "${!npm_config_@}"; do buildah "${store[@]}" config --env "$name=${!name}" "$c"; done
  buildah "${store[@]}" umount "$c" > /dev/null
  buildah "${store[@]}" commit -q --rm "$c" "$build" > /dev/null

  # Node, the libraries that it is linked with, certificates, and two names: no shell.
  mkdir -p "$root/small"/{etc/ssl/certs,usr/local/bin,tmp,lib64}
  cp "$node" "$root/small/usr/local/bin/node"
  ldd "$node" | awk '/=> \//{print $3} /ld-linux/{print $1}' | while read -r library; do
    mkdir -p "$root/small$(dirname "$library")"
    cp -L "$library" "$root/small$library"
  done
  for library in libnss_dns.so.2 libnss_files.so.2 libresolv.so.2; do
    found=$(find /lib /usr/lib -name "$library" | head -1)
    if [ -n "$found" ]; then mkdir -p "$root/small$(dirname "$found")"; cp -L "$found" "$root/small$found"; fi
  done
  cp "$root/full/etc/ssl/certs/ca-certificates.crt" "$root/small/etc/ssl/certs/"
  printf 'root:x:0:0:root:/:/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/nologin\n' > "$root/small/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' > "$root/small/etc/group"
  printf 'hosts: files dns\n' > "$root/small/etc/nsswitch.conf"
  chmod 1777 "$root/small/tmp"
  c=$(buildah "${store[@]}" from scratch)
  buildah "${store[@]}" copy -q "$c" "$root/small" /
  buildah "${store[@]}" commit -q --rm "$c" "$runtime" > /dev/null
  rm -rf "$root"
}

build_image() {
  say "building $image"
  buildah "${store[@]}" bud --isolation chroot --network host --layers -q -f deploy/Dockerfile \
    --build-arg BUILD_BASE="$build" --build-arg RUNTIME_BASE="$runtime" --build-arg SERVICE="$service" \
    --build-arg VERSION="$(node -p "require('./package.json').version")" \
    --build-arg REVISION="$(git rev-parse HEAD 2> /dev/null || echo unknown)" -t "$image" . > /dev/null
  podman "${store[@]}" image inspect "$image" --format '{{.Size}}' | awk '{printf "== %.0f MB\n", $1 / 1e6}'
}

# Runs a program in the image as a cluster would: no root, no capabilities, nothing to be written but /tmp.
run() {
  podman "${store[@]}" --runtime runc --cgroup-manager cgroupfs run --ulimit nofile=20000:20000 --ulimit nproc=10000:10000 \
    --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --memory 256m --network none "$@"
}

check_image() {
  say "trying it out"
  local seen
  seen=$(run --rm "$image" -e "
    const fs = require('node:fs')
    const status = fs.readFileSync('/proc/self/status', 'utf8')
    const refused = (work) => { try { work(); return false } catch (error) { return error.code } }
    console.log(JSON.stringify({
      uid: process.getuid(), gid: process.getgid(),
      capabilities: /CapEff:\s*(\w+)/.exec(status)[1], noNewPrivileges: /NoNewPrivs:\s*(\d)/.exec(status)[1],
      root: refused(() => fs.writeFileSync('/app/x', '')), tmp: refused(() => fs.writeFileSync('/tmp/x', '')),
      shell: fs.existsSync('/bin/sh'), npm: fs.existsSync('/usr/local/bin/npm'),
    }))")
  local expected='{"uid":65532,"gid":65532,"capabilities":"0000000000000000","noNewPrivileges":"1","root":"EROFS","tmp":false,"shell":false,"npm":false}'
  if [ "$seen" != "$expected" ]; then
    echo "the image is not as it should be: $seen" >&2
    exit 1
  fi
  echo "$seen"
  if [ "$service" = ops ]; then
    run --rm "$image" ops.js --help > /dev/null
    local migrations
    migrations=$(run --rm "$image" -p "fs.readdirSync('services').flatMap((name) => fs.readdirSync('services/' + name)
      .filter((folder) => folder === 'migrations').flatMap((folder) => fs.readdirSync('services/' + name + '/' + folder))).length")
    if [ "$migrations" != "$(find services/*/migrations -name '*.sql' | wc -l)" ]; then
      echo "it has $migrations migrations" >&2
      exit 1
    fi
    say "well: it answers, and has $migrations migrations"
    return
  fi
  # Without settings a service says what is missing and ends; it must not end otherwise.
  if run --rm "$image" > /tmp/image-check.log 2>&1; then echo "it ran without its settings" >&2; exit 1; fi
  if ! grep -q 'is not set' /tmp/image-check.log; then
    echo "without its settings it ends otherwise than by saying so:" >&2
    cat /tmp/image-check.log >&2
    exit 1
  fi
  check_stop
}

# SIGTERM ends it by itself, with 0. The upload host runs without its neighbours, so it stands for all.
check_stop() {
  if [ "$service" != upload-host ]; then return; fi
  local name=worlds-image-check-$$
  run -d --name "$name" -e REDIS_URL=redis://127.0.0.1:1 "$image" > /dev/null
  for _ in $(seq 100); do
    if podman "${store[@]}" logs "$name" 2>&1 | grep -q '"event":"listening"'; then break; fi
    sleep 0.1
  done
  podman "${store[@]}" --runtime runc kill --signal TERM "$name" > /dev/null
  local code
  code=$(podman "${store[@]}" --runtime runc wait "$name")
  podman "${store[@]}" --runtime runc rm "$name" > /dev/null
  if [ "$code" != 0 ]; then echo "SIGTERM: exit $code" >&2; exit 1; fi
  say "well: SIGTERM ends it with 0"
}

make_bases
build_image
check_image
if [ -n "$archive" ]; then
  rm -f "$archive"
  podman "${store[@]}" save -q -o "$archive" "$image"
  say "wrote $archive"
fi
