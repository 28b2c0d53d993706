#!/usr/bin/env bash
# Prints the secrets that deploy/compose.yaml asks for, made anew each time it is called.
set -euo pipefail
secret() { openssl rand -hex 24; }
key=$(openssl genpkey -algorithm ed25519)
cat << END
SERVICE_TOKEN=$(secret)
PEPPERS=p1:$(secret)
POSTGRES_PASSWORD=$(secret)
ELEMENT_DB_PASSWORD=$(secret)
MEMBERSHIP_DB_PASSWORD=$(secret)
CHANGE_FEED_DB_PASSWORD=$(secret)
FILE_DB_PASSWORD=$(secret)
S3_SECRET_ACCESS_KEY=$(secret)
LINK_SECRETS=l1:$(secret)
TICKET_SIGNING_KEY=t1:$(openssl pkey -outform der <<< "$key" | base64 -w0)
TICKET_PUBLIC_KEYS=t1:$(openssl pkey -pubout -outform der <<< "$key" | base64 -w0)
END
