#!/usr/bin/env bash
# Puts k6 and toxiproxy, which the load tests use, into .tools/; load-tests/check.sh goes without what could not be had.
set -uo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/tools.sh
. scripts/tools.sh "what runs the load tests"

# Without the C library, so that it runs in an image that has none.
CGO_ENABLED=0 install k6 go.k6.io/k6 v1.8.1
install toxiproxy-server github.com/Shopify/toxiproxy/v2/cmd/server v2.12.0
