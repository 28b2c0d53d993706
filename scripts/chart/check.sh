#!/usr/bin/env bash
# Checks the Helm chart with the tools that scripts/chart/tools.sh has put into .tools/. What is not there is said in one
# line and left out; the exit code tells of faults alone.
#
#   scripts/chart/check.sh             everything
#   scripts/chart/check.sh --update    writes the chart's README.md and what each set of values renders anew first
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
chart=charts/worlds
tools=$root/.tools
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
faults=0
left_out=0
update=no
if [ "${1:-}" = --update ]; then update=yes; fi

say() { echo "== $1"; }
fault() {
  echo "FAULT: $1" >&2
  faults=$((faults + 1))
}
has() {
  [ -e "$tools/$1" ] && return
  echo "left out: $2, for $1 is not in .tools (scripts/chart/tools.sh)" >&2
  left_out=$((left_out + 1))
  return 1
}

# Nothing of the user's own Helm.
export HELM_CACHE_HOME=$out/cache HELM_CONFIG_HOME=$out/config HELM_DATA_HOME=$out/data

render() {
  "$tools/helm" template worlds "$chart" --namespace worlds --kube-version 1.30.0 --values "$1"
}

check_set() {
  local values=$1 name
  name=$(basename "$values" -values.yaml)
  "$tools/helm" lint "$chart" --strict --quiet --values "$values" > "$out/lint" 2>&1 || { cat "$out/lint" >&2; fault "$name: helm lint"; }
  if ! render "$values" > "$out/$name.yaml" 2> "$out/error"; then
    cat "$out/error" >&2
    fault "$name: helm template"
    return
  fi
  render "$values" | cmp -s - "$out/$name.yaml" || fault "$name: rendered twice, it differs"
  if [ -d node_modules/yaml ]; then
    node scripts/chart/check-rendered.mjs "$name" "$out/$name.yaml" || fault "$name: what was rendered"
  else
    echo "left out: $name: what was rendered, for npm ci has not been run" >&2
    left_out=$((left_out + 1))
  fi
  check_golden "$name"
  echo "$name: $(wc -c < "$out/$name.yaml") bytes"
}

# What a change of the templates makes of each set is seen in its diff.
check_golden() {
  local golden=$chart/ci/rendered/$1.yaml
  if [ "$update" = yes ]; then mkdir -p "$(dirname "$golden")" && cp "$out/$1.yaml" "$golden"; fi
  diff "$golden" "$out/$1.yaml" > "$out/log" 2>&1 || { head -20 "$out/log" >&2; fault "$1: not what $golden has: check.sh --update"; }
}

check_schemas() {
  # Kinds of others that an operator may add (extraObjects) are theirs to check.
  local name=$1
  awk 'BEGIN { RS = "---\n"; ORS = "---\n" } !/kind: ExternalSecret/' "$out/$name.yaml" > "$out/known.yaml"
  "$tools/kubectl-validate" --version 1.30 --local-crds "$tools/chart-crds" "$out/known.yaml" > "$out/log" 2>&1 ||
    { cat "$out/log" >&2; fault "$name: kubectl-validate"; }
}

check_score() {
  # Left to whoever runs the cluster: users and groups (OpenShift gives them; the image's is 65532), whether to pull
  # always (tags are fixed). No CPU limits, for a throttled process holds up all its requests. Pods are kept apart by
  # topologySpreadConstraints in place of anti-affinity.
  local name=$1
  "$tools/kube-score" score --kubernetes-version v1.30 --output-format ci --ignore-container-cpu-limit \
    --ignore-test container-security-context-user-group-id,container-image-pull-policy,deployment-has-host-podantiaffinity \
    "$out/$name.yaml" > "$out/log" 2>&1 || { grep '^\[CRITICAL\]' "$out/log" >&2 || tail -3 "$out/log" >&2; fault "$name: kube-score"; }
}

if [ "$update" = yes ] && has helm-docs "the chart's README"; then
  "$tools/helm-docs" --chart-search-root charts --log-level warning > /dev/null || fault helm-docs
fi

rendered=()
if has helm "every set of values, and with it the schemas and kube-score"; then
  say "every set of values in $chart/ci"
  for values in "$chart"/ci/*-values.yaml; do
    check_set "$values"
    name=$(basename "$values" -values.yaml)
    if [ -s "$out/$name.yaml" ]; then rendered+=("$name"); fi
  done
fi
if has kubectl-validate "the schemas of Kubernetes" && has chart-crds "the schemas of other kinds"; then
  say "kubectl-validate"
  for name in "${rendered[@]}"; do check_schemas "$name"; done
fi
if has kube-score "kube-score"; then
  say "kube-score"
  for name in "${rendered[@]}"; do check_score "$name"; done
fi
if has helm-unittest "the chart's unit tests"; then
  say "helm-unittest"
  "$tools/helm-unittest" "$chart" > "$out/log" 2>&1 || { cat "$out/log" >&2; fault helm-unittest; }
  grep -E '^(Test Suites|Tests):' "$out/log"
fi
if has helm-docs "whether the chart's README is up to date"; then
  say "helm-docs"
  "$tools/helm-docs" --chart-search-root charts --log-level warning --dry-run > "$out/README.md" 2> "$out/log" || { cat "$out/log" >&2; fault helm-docs; }
  diff "$chart/README.md" "$out/README.md" > "$out/log" || { head -20 "$out/log" >&2; fault "README.md is not as values.yaml says: check.sh --update"; }
fi

if [ "$faults" -gt 0 ]; then
  echo "$faults faults" >&2
  exit 1
fi
if [ "$left_out" -gt 0 ]; then say "well, but for what was left out"; else say "well"; fi
