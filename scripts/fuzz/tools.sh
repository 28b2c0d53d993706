#!/usr/bin/env bash
# Puts schemathesis, which `npm run fuzz` runs, into .tools/, with exactly the packages that requirements.txt names;
# scripts/fuzz/check.sh goes without it where it could not be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
tool=$PWD/.tools/schemathesis
wanted=scripts/fuzz/requirements.txt

if cmp -s "$wanted" "$tool/requirements.txt"; then exit 0; fi
if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
  echo "left out: what fuzzes the API, for Python 3.11 or newer with venv is not here." >&2
  exit 0
fi
rm -rf "$tool"
if python3 -m venv "$tool" && "$tool/bin/pip" install -q --disable-pip-version-check --no-deps -r "$wanted"; then
  cp "$wanted" "$tool/requirements.txt"
  "$tool/bin/schemathesis" --version
else
  rm -rf "$tool"
  echo "left out: schemathesis could not be installed." >&2
fi
