#!/usr/bin/env bash
# Puts what scripts/chart/check.sh uses into .tools/.
set -uo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/tools.sh
. scripts/tools.sh "what checks the chart"

build_unittest() { go build -C scripts/chart/unittest -buildvcs=false -o "$tools/helm-unittest" github.com/helm-unittest/helm-unittest/cmd/helm-unittest; }
export -f build_unittest

gateway_api=v1.3.0
keda=v2.17.2
prometheus=v0.83.0
export gateway_api keda prometheus

# The definitions of other projects' kinds, as their modules have them, for kubectl-validate.
fetch_crds() {
  set -e
  rm -rf "$tools/chart-crds" "$tools/chart-crds.new"
  mkdir -p "$tools/chart-crds.new"
  folder() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p'; }
  local from
  from=$(folder "sigs.k8s.io/gateway-api@$gateway_api")
  cp "$from/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" "$tools/chart-crds.new/"
  from=$(folder "github.com/kedacore/keda/v2@$keda")
  cp "$from"/config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml "$tools/chart-crds.new/"
  from=$(folder "github.com/prometheus-operator/prometheus-operator@$prometheus")
  cp "$from"/example/prometheus-operator-crd/monitoring.coreos.com_{servicemonitors,podmonitors,prometheusrules}.yaml \
    "$tools/chart-crds.new/"
  chmod -R u+w "$tools/chart-crds.new"
  mv "$tools/chart-crds.new" "$tools/chart-crds"
}
export -f fetch_crds

install helm helm.sh/helm/v4/cmd/helm v4.2.4
install kube-score github.com/zegl/kube-score/cmd/kube-score v1.20.0
install helm-docs github.com/norwoodj/helm-docs/cmd/helm-docs v1.14.2
install kubectl-validate sigs.k8s.io/kubectl-validate v0.0.4
attempt helm-unittest v1.1.2 bash -c build_unittest
attempt chart-crds "$gateway_api $keda $prometheus" bash -c fetch_crds
