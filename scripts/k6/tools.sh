#!/usr/bin/env bash
# Puts k6 and toxiproxy, which the load tests use, into .tools/, each at the version named here. What is there at that
# version stays; what could not be had is said in one line, and load-tests/check.sh goes without it.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/.tools
mkdir -p "$tools"

if ! command -v go > /dev/null; then
  echo "left out: k6 and toxiproxy, for Go is not here to build them." >&2
  exit 0
fi

# install NAME MODULE VERSION: its program is named after the last part of the module's path.
install() {
  local name=$1 module=$2 version=$3 draft=$tools/.$1.new log=$tools/.$1.log
  if [ -x "$tools/$name" ] && [ "$(cat "$tools/.$name.version" 2> /dev/null)" = "$version" ]; then return; fi
  if GOBIN=$draft nice -n 15 go install "$module@$version" > "$log" 2>&1; then
    mv "$draft/${module##*/}" "$tools/$name"
    echo "$version" > "$tools/.$name.version"
    rm -rf "$draft" "$log"
    echo "$name $version"
  else
    echo "left out: $name $version could not be built, see $log" >&2
  fi
}

install k6 go.k6.io/k6 v1.8.1
install toxiproxy-server github.com/Shopify/toxiproxy/v2/cmd/server v2.12.0
