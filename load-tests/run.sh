#!/usr/bin/env bash
# Runs one load test and leaves its report in load-tests/out/.
#
#   load-tests/run.sh [--baseline] PROFILE [SCENARIO]    smoke, load, stress, spike, soak, breakpoint; mixed unless said
#   load-tests/run.sh [--baseline] slots NAME            exact, overload, recovery, fairness, cancel
#   load-tests/run.sh [--baseline] restarts              each process in turn, under load for DURATION, 75s
#
# Against BASE_URL where that is set, else against a system of its own. README.md tells the rest. Exits with 0 when all
# thresholds hold, with 99 when one does not; all else is a fault of the test itself.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

usage() {
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

keep_baseline=no
if [ "${1:-}" = --baseline ]; then
  keep_baseline=yes
  shift
fi
[ $# -ge 1 ] || usage
profile=$1
if [ "$profile" = slots ]; then
  [ $# -eq 2 ] || usage
  script=$here/slots/$2.ts
elif [ "$profile" = restarts ]; then
  [ $# -eq 1 ] || usage
  [ -z "${BASE_URL:-}" ] || {
    echo "restarts are those of a system of its own: unset BASE_URL" >&2
    exit 2
  }
  script=$here/restarts/rolling.ts
else
  script=$here/scenarios/${2:-mixed}.ts
  [ -e "$here/profiles/$profile.json" ] || usage
fi
[ -e "$script" ] || usage
name=$profile-$(basename "$script" .ts)

k6=$root/.tools/k6
[ -x "$k6" ] || k6=$(command -v k6) || {
  echo "k6 is neither in .tools nor on the PATH: scripts/k6/tools.sh" >&2
  exit 1
}

out=${OUT_DIR:-$here/out/$(date -u +%Y%m%dT%H%M%SZ)-$name}
mkdir -p "$out"
rm -f "$out/system.env"
export OUT_DIR=$out PROFILE=$profile

# The system ends when its standard input closes, which it does however this script ends.
start_system() {
  local program=$here/dist/src/system.js
  [ -e "$program" ] || {
    echo "the programs are not built: npm run build" >&2
    exit 1
  }
  if [ "$profile" = slots ]; then export REQUEST_SLOTS=${REQUEST_SLOTS:-4}; fi
  if [ "$profile" = restarts ]; then export REPLICAS=${REPLICAS:-2}; fi
  echo "starting a system, see $out/system.log"
  exec 9> >(exec node "$program" "$out/system.env" > "$out/system.log" 2>&1)
  system=$!
  while [ ! -e "$out/system.env" ]; do
    if ! kill -0 "$system" 2> /dev/null; then
      cat "$out/system.log" >&2
      exit 1
    fi
    sleep 0.2
  done
  set -a
  # shellcheck source=/dev/null
  . "$out/system.env"
  set +a
}

runner=
system=
# shellcheck disable=SC2317 # a trap calls it
stop() {
  [ -z "$runner" ] || kill "$runner" 2> /dev/null || true
  [ -z "$system" ] || {
    exec 9>&-
    # Not by wait: bash forgets a substitution's process once it has started another in the background.
    while kill -0 "$system" 2> /dev/null; do sleep 0.1; done
  }
  rm -f "$out/system.env"
}
trap stop EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

if [ -z "${BASE_URL:-}" ]; then start_system; fi

status=0
# The port -1 keeps the dashboard from listening; its report is written all the same.
K6_AUTO_EXTENSION_RESOLUTION=false K6_WEB_DASHBOARD=true K6_WEB_DASHBOARD_EXPORT=$out/report.html \
  K6_WEB_DASHBOARD_PORT=-1 K6_WEB_DASHBOARD_PERIOD=1s \
  "$k6" run --quiet --no-usage-report --address "" "$script" 2> "$out/k6.log" 9>&- &
runner=$!
if [ "$profile" = restarts ]; then
  sleep 5
  kill -USR2 "$system"
fi
wait "$runner" || status=$?

grep 'level=error' "$out/k6.log" | head -20 >&2 || true
echo "report: $out"
if [ "$status" -ne 0 ] && [ "$status" -ne 99 ]; then
  echo "k6 did not finish ($status), see $out/k6.log" >&2
  exit "$status"
fi
if [ "$profile" = restarts ]; then
  cat "$out/restarts.json" || true
  # Without the marker some were restarted after the load or not at all, and the figures say less than they seem to.
  [ -e "$out/restarts.done" ] || {
    echo "the load ended before the restarts did, see $out/system.log; DURATION makes it longer" >&2
    [ "$status" -ne 0 ] || status=1
    keep_baseline=no
  }
fi
if [ "$keep_baseline" = yes ]; then node "$here/dist/src/keep-baseline.js" "$name" "$out/summary.json"; fi
exit "$status"
