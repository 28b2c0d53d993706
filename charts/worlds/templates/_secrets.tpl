{{/* The exact lines that make the Secrets: capitals are to be filled in. */}}
{{- define "worlds.secretsLine" -}}
{{- $keys := .Values.secrets.keys -}}
{{- print "  key=$(openssl genpkey -algorithm ed25519)" }}
  kubectl create secret generic worlds-secrets -n {{ .Release.Namespace }} \
    --from-literal={{ $keys.serviceToken }}="$(openssl rand -hex 24)" \
    --from-literal={{ $keys.peppers }}="p1:$(openssl rand -hex 24)" \
    --from-literal={{ $keys.linkSecrets }}="l1:$(openssl rand -hex 24)" \
    --from-literal={{ $keys.ticketSigningKey }}="t1:$(openssl pkey -outform der <<< "$key" | base64 -w0)" \
    --from-literal={{ $keys.ticketPublicKeys }}="t1:$(openssl pkey -pubout -outform der <<< "$key" | base64 -w0)"
{{- end -}}

{{- define "worlds.postgresLine" -}}
{{- $keys := .Values.postgres.keys -}}
{{- printf "  kubectl create secret generic worlds-postgres -n %s \\" .Release.Namespace }}
    --from-literal={{ $keys.element }}='postgres://worlds_element:PASSWORD@HOST:5432/DATABASE' \
    --from-literal={{ $keys.membership }}='postgres://worlds_membership:PASSWORD@HOST:5432/DATABASE' \
    --from-literal={{ $keys.changeFeed }}='postgres://worlds_change_feed:PASSWORD@HOST:5432/DATABASE' \
    --from-literal={{ $keys.file }}='postgres://worlds_file:PASSWORD@HOST:5432/DATABASE'
{{- end -}}

{{- define "worlds.migrationsLine" -}}
{{- $keys := .Values.migrations.keys -}}
{{- printf "  kubectl create secret generic worlds-migrations -n %s \\" .Release.Namespace }}
    --from-literal={{ $keys.ownerUrl }}='postgres://OWNER:PASSWORD@HOST:5432/DATABASE' \
    --from-literal={{ $keys.element }}='PASSWORD' \
    --from-literal={{ $keys.membership }}='PASSWORD' \
    --from-literal={{ $keys.changeFeed }}='PASSWORD' \
    --from-literal={{ $keys.file }}='PASSWORD'
{{- end -}}

{{- define "worlds.redisLine" -}}
{{- $urls := dict "standalone" "redis://:PASSWORD@HOST:6379" "sentinel" "redis+sentinel://:PASSWORD@HOST:26379,HOST:26379,HOST:26379/NAME" "cluster" "redis+cluster://:PASSWORD@HOST:6379,HOST:6379,HOST:6379" -}}
{{- printf "  kubectl create secret generic worlds-redis -n %s --from-literal=%s='%s'" .Release.Namespace .Values.redis.key (get $urls .Values.redis.mode) -}}
{{- end -}}
