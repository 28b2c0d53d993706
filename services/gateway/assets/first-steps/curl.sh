ann=$(curl -sS "$OW_API_BASE/character" -H "API-Key: $OW_API_KEY" -H "API-Pin: $OW_API_PIN" \
  -H "Content-Type: application/json" -d '{"name": "Ann", "background": "A miller’s daughter."}')
id=$(echo "$ann" | sed 's/.*"id":"\([^"]*\)".*/\1/')

curl -sS -X PATCH "$OW_API_BASE/character/$id" -H "API-Key: $OW_API_KEY" -H "API-Pin: $OW_API_PIN" \
  -H "Content-Type: application/json" -d '{"level": 3}'
curl -sS "$OW_API_BASE/character?limit=10" -H "API-Key: $OW_API_KEY"
curl -sS "$OW_API_BASE/changes?limit=100" -H "API-Key: $OW_API_KEY"
