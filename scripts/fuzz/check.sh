#!/usr/bin/env bash
# The fuzzing's part of `npm test`: bounded, in about a minute. Without schemathesis one line says so.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ ! -x .tools/schemathesis/bin/schemathesis ] && ! command -v schemathesis > /dev/null; then
  echo "left out: fuzzing the API, for schemathesis is neither in .tools nor on the PATH (scripts/fuzz/tools.sh)" >&2
  exit 0
fi
exec node scripts/dist/fuzz.js --bounded
