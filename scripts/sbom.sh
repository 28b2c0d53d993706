#!/usr/bin/env bash
# Prints what the image of one service is made of, as CycloneDX: for a release, beside the image.
#
#   scripts/sbom.sh gateway > worlds-gateway.cdx.json
set -euo pipefail
cd "$(dirname "$0")/.."
service=${1:?usage: scripts/sbom.sh SERVICE}
if [ ! -f "services/$service/package.json" ]; then
  echo "there is no service $service" >&2
  exit 1
fi
npm sbom --sbom-format cyclonedx --omit dev -w "@worlds/$service" 2> /dev/null | node -e '
  const [service] = process.argv.slice(1)
  let text = ""
  process.stdin.on("data", (chunk) => { text += chunk }).on("end", () => {
    const bom = JSON.parse(text)
    // npm names the whole after the folder that it lies in.
    bom.metadata.component.name = `worlds-${service}`
    console.log(JSON.stringify(bom, null, 2))
  })' "$service"
