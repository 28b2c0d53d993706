#!/usr/bin/env bash
# The load tests' part of `npm test`: the k6 scripts' types, and where k6 and toxiproxy are here, the smoke profile and
# slots/exact against a system of their own, in a little over a minute. What is not there is said in one line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

"$root/node_modules/.bin/tsc" -p "$here/tsconfig.k6.json"

for tool in k6 toxiproxy-server; do
  if [ ! -x "$root/.tools/$tool" ] && ! command -v "$tool" > /dev/null; then
    echo "left out: the load tests, for $tool is neither in .tools nor on the PATH (scripts/k6/tools.sh)" >&2
    exit 0
  fi
done

TIME_FACTOR=0.5 OUT_DIR=$here/out/check-smoke "$here/run.sh" smoke mixed
OUT_DIR=$here/out/check-slots "$here/run.sh" slots exact
