{{- define "worlds.fromSecret" -}}
{ valueFrom: { secretKeyRef: { name: {{ index . 0 | quote }}, key: {{ index . 1 | quote }} } } }
{{- end -}}

{{/* Every address that the headless Service of a component stands for. */}}
{{- define "worlds.address" -}}
{{- $root := index . 0 -}}
{{- $facts := get (include "worlds.components" $root | fromYaml) (index . 1) -}}
{{- printf "dns:%s-%s:8080" (include "worlds.fullname" $root) $facts.name | quote -}}
{{- end -}}

{{- define "worlds.api" -}}
{{- $urls := .Values.urls -}}
{{- $urls.api | default (printf "%s/api/v2" (trimSuffix "/" $urls.gateway)) -}}
{{- end -}}

{{- define "worlds.docs" -}}
{{- .Values.urls.docs | default (printf "%s/docs" (include "worlds.api" .)) -}}
{{- end -}}

{{- define "worlds.tlsEnv" }}
TLS_CA_FILE: /etc/worlds/tls/ca.crt
TLS_CERT_FILE: /etc/worlds/tls/tls.crt
TLS_KEY_FILE: /etc/worlds/tls/tls.key
{{- end -}}

{{/* What the chart knows of a component's environment: a map of names, before the operator's own is laid over it. */}}
{{- define "worlds.knownEnv" -}}
{{- $root := .root -}}
{{- $v := $root.Values -}}
{{- $secrets := $v.secrets -}}
{{- $needs := .facts.needs -}}
DRAIN_MS: {{ mul (include "worlds.drainSeconds" . | int) 1000 | quote }}
HOST: 0.0.0.0
LOG_LEVEL: {{ $v.logLevel }}
METRICS_PORT: "9090"
PORT: "8080"
SHUTDOWN_MS: {{ mul (int .values.shutdown.timeoutSeconds) 1000 | quote }}
{{- if has "rpc" $needs }}
SERVICE_TOKEN: {{ include "worlds.fromSecret" (list $secrets.existingSecret $secrets.keys.serviceToken) }}
{{- if $v.tls.existingSecret }}
{{- include "worlds.tlsEnv" $root }}
{{- end }}
{{- end }}
{{- if has "postgres" $needs }}
DATABASE_POOL: {{ int $v.postgres.poolSize | quote }}
{{- with $v.postgres.readReplica }}
{{- if and .existingSecret (eq $.key "changeFeed") }}
DATABASE_REPLICA_URL: {{ include "worlds.fromSecret" (list .existingSecret .key) }}
{{- end }}
{{- end }}
DATABASE_URL: {{ include "worlds.fromSecret" (list $v.postgres.existingSecret (get $v.postgres.keys .key)) }}
{{- end }}
{{- if has "redis" $needs }}
REDIS_PREFIX: {{ $v.redis.prefix | quote }}
REDIS_URL: {{ include "worlds.fromSecret" (list $v.redis.existingSecret $v.redis.key) }}
{{- end }}
{{- if has "peppers" $needs }}
PEPPERS: {{ include "worlds.fromSecret" (list $secrets.existingSecret $secrets.keys.peppers) }}
{{- end }}
{{- if has "s3" $needs }}
S3_BUCKET: {{ $v.s3.bucket | quote }}
S3_CONDITIONAL_PUTS: {{ $v.s3.conditionalPuts | quote }}
S3_FORCE_PATH_STYLE: {{ $v.s3.forcePathStyle | quote }}
S3_REGION: {{ $v.s3.region | quote }}
{{- with $v.s3.endpoint }}
S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with $v.s3.existingSecret }}
S3_ACCESS_KEY_ID: {{ include "worlds.fromSecret" (list . $v.s3.keys.accessKeyId) }}
S3_SECRET_ACCESS_KEY: {{ include "worlds.fromSecret" (list . $v.s3.keys.secretAccessKey) }}
{{- end }}
{{- end }}
{{- if has "mail" $needs }}
API_URL: {{ include "worlds.api" $root | quote }}
PORTAL_URL: {{ $v.urls.portal | default (printf "%s/account/" (trimSuffix "/" $v.urls.gateway)) | quote }}
{{- with $v.mail.existingSecret }}
MAIL_FROM: {{ $v.mail.from | quote }}
SMTP_URL: {{ include "worlds.fromSecret" (list . $v.mail.key) }}
{{- end }}
{{- end }}
{{- range .facts.calls }}
{{ . | snakecase | upper }}_ADDRESSES: {{ include "worlds.address" (list $root .) }}
{{- end }}
{{- if eq .key "gateway" }}
CORS_ORIGINS: {{ join "," .values.corsOrigins | quote }}
DOCS_URL: {{ include "worlds.docs" $root | quote }}
REQUEST_BUDGET: {{ int .values.requestBudget | quote }}
REQUEST_BUDGET_WINDOW_S: {{ int .values.requestBudgetWindowSeconds | quote }}
REQUEST_SLOTS: {{ int .values.requestSlots | quote }}
REQUEST_SLOT_QUEUE: {{ int .values.requestSlotQueue | quote }}
REQUEST_SLOT_WAIT_MS: {{ int .values.requestSlotWaitMs | quote }}
SERVICE_DOMAIN: {{ .values.serviceDomain | quote }}
TRUST_PROXY: {{ include "worlds.trustProxy" . | quote }}
{{- else if eq .key "element" }}
DOCS_URL: {{ include "worlds.docs" $root | quote }}
{{- else if eq .key "file" }}
DOWNLOAD_PORT: "8082"
FILES_URL: {{ trimSuffix "/" $v.urls.downloads | quote }}
IMAGE_BYTES_CAP: {{ int64 .values.imageBytesCap | quote }}
LINK_SECRETS: {{ include "worlds.fromSecret" (list $secrets.existingSecret $secrets.keys.linkSecrets) }}
TICKET_SIGNING_KEY: {{ include "worlds.fromSecret" (list $secrets.existingSecret $secrets.keys.ticketSigningKey) }}
UPLOAD_GRACE_MS: {{ int64 $v.uploads.graceMs | quote }}
UPLOAD_URL: {{ printf "%s/v1/upload" (trimSuffix "/" $v.urls.uploads) | quote }}
{{- else if eq .key "uploadHost" }}
TICKET_PUBLIC_KEYS: {{ include "worlds.fromSecret" (list $secrets.existingSecret $secrets.keys.ticketPublicKeys) }}
UPLOADS_AT_ONCE: {{ int $v.uploads.atOnce | quote }}
UPLOAD_BODY_MS: {{ int64 $v.uploads.bodyMs | quote }}
UPLOAD_DIR: /tmp/worlds-uploads
UPLOAD_MEMORY_MIB: {{ int $v.uploads.memoryMiB | quote }}
UPLOAD_PUT_MS: {{ int64 $v.uploads.putMs | quote }}
{{- end }}
{{- with $v.otel.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
OTEL_TRACES_SAMPLER: {{ $v.otel.sampler | quote }}
{{- with $v.otel.samplerArg }}
OTEL_TRACES_SAMPLER_ARG: {{ . | quote }}
{{- end }}
{{- /* A variable may only name those before it, and they are sorted: these come before OTEL_. */}}
K8S_NAMESPACE: { valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
K8S_NODE: { valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
K8S_POD: { valueFrom: { fieldRef: { fieldPath: metadata.name } } }
OTEL_RESOURCE_ATTRIBUTES: {{ printf "k8s.namespace.name=$(K8S_NAMESPACE),k8s.node.name=$(K8S_NODE),k8s.pod.name=$(K8S_POD),service.version=%s" $root.Chart.AppVersion | quote }}
{{- end }}
{{- end -}}

{{/* One hop where the chart puts a proxy in front; nobody's word is taken otherwise. */}}
{{- define "worlds.trustProxy" -}}
{{- if not (kindIs "invalid" .values.trustProxy) -}}
{{- .values.trustProxy -}}
{{- else if or .root.Values.ingress.enabled .root.Values.httpRoute.enabled -}}
1
{{- end -}}
{{- end -}}

{{/* A number as YAML may have read it, without an exponent. */}}
{{- define "worlds.plain" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* The environment as a list sorted by name: a map has every name once. Null takes a name away. */}}
{{- define "worlds.env" -}}
{{- $env := include "worlds.knownEnv" . | fromYaml -}}
{{- if $env.Error }}{{ fail (printf "environment of %s: %s" .key $env.Error) }}{{ end -}}
{{- range $more := list .root.Values.env .values.env -}}
{{- range $name, $value := $more }}{{ $_ := set $env $name $value }}{{ end -}}
{{- end -}}
{{- include "worlds.envList" $env -}}
{{- end -}}

{{- define "worlds.envList" -}}
{{- range $name, $value := . }}
{{- if kindIs "map" $value }}
- name: {{ $name }}
  {{- toYaml $value | nindent 2 }}
{{- else if not (kindIs "invalid" $value) }}
- name: {{ $name }}
  value: {{ include "worlds.plain" $value | quote }}
{{- end }}
{{- end }}
{{- end -}}
