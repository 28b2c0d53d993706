{{/*
Every service, by its key in the values.
  kind      what its main port speaks; callers look up the name of a "grpc" one and take each address they find
  calls     whom it calls, which is who lets it in
  needs     groups of settings, see _env.tpl
  public    the port that clients outside reach, and the Service and host that stand for it
  wave      place in the order of an upgrade
*/}}
{{- define "worlds.components" -}}
gateway:
  name: gateway
  kind: http
  calls: [element, membership, changeFeed, file]
  needs: [rpc, redis, peppers]
  public: { port: http, service: gateway, host: gateway }
  wave: 5
element:
  name: element
  kind: grpc
  calls: []
  needs: [rpc, postgres, redis]
  wave: 1
changeFeed:
  name: change-feed
  kind: grpc
  calls: []
  needs: [rpc, postgres]
  wave: 1
membership:
  name: membership
  kind: grpc
  calls: [element]
  needs: [rpc, postgres, redis, peppers, mail]
  wave: 2
file:
  name: file
  kind: grpc
  calls: [element]
  needs: [rpc, postgres, redis, s3]
  public: { port: downloads, service: downloads, host: downloads }
  wave: 3
uploadHost:
  name: upload-host
  kind: http
  calls: []
  needs: [redis, s3]
  public: { port: http, service: upload-host, host: uploads }
  wave: 4
{{- end -}}

{{/* What templates work with: {root, key, facts, values}, values being the component's laid over the defaults. */}}
{{- define "worlds.component" -}}
{{- $root := index . 0 -}}
{{- $key := index . 1 -}}
{{- $values := deepCopy $root.Values.defaults -}}
{{- include "worlds.overlay" (list $values (index $root.Values $key)) -}}
{{- dict "key" $key "facts" (index . 2) "values" $values | toYaml -}}
{{- end -}}

{{- define "worlds.isScaled" -}}
{{- if or .values.autoscaling.enabled .values.keda.enabled }}true{{ end -}}
{{- end -}}

{{/* The fewest pods there ever are. */}}
{{- define "worlds.fewest" -}}
{{- if .values.autoscaling.enabled }}{{ int .values.autoscaling.minReplicas }}
{{- else if .values.keda.enabled }}{{ int .values.keda.minReplicas }}
{{- else }}{{ int .values.replicas }}{{ end -}}
{{- end -}}

{{/* What a process serves on after it was told to stop; without a sleep before the signal it has to do both. */}}
{{- define "worlds.drainSeconds" -}}
{{- $shutdown := .values.shutdown -}}
{{- if kindIs "invalid" $shutdown.drainSeconds -}}
{{- if $shutdown.preStopSleepSeconds }}2{{ else }}12{{ end -}}
{{- else -}}
{{- int $shutdown.drainSeconds -}}
{{- end -}}
{{- end -}}

{{- define "worlds.graceSeconds" -}}
{{- $shutdown := .values.shutdown -}}
{{- if .values.terminationGracePeriodSeconds -}}
{{- int .values.terminationGracePeriodSeconds -}}
{{- else -}}
{{- add (int $shutdown.preStopSleepSeconds) (include "worlds.drainSeconds" . | int) (int $shutdown.timeoutSeconds) 10 -}}
{{- end -}}
{{- end -}}

{{/* The upload host keeps each body until it is judged. */}}
{{- define "worlds.tmpSize" -}}
{{- if .values.tmpSizeLimit }}{{ .values.tmpSizeLimit }}
{{- else if eq .key "uploadHost" }}{{ add (mul (int .root.Values.uploads.atOnce) 25) 64 }}Mi
{{- else }}64Mi{{ end -}}
{{- end -}}

{{- define "worlds.ports" -}}
- { name: {{ .facts.kind }}, containerPort: 8080, protocol: TCP }
{{- if eq .key "file" }}
- { name: downloads, containerPort: 8082, protocol: TCP }
{{- end }}
- { name: metrics, containerPort: 9090, protocol: TCP }
{{- end -}}

{{/* Of a component with one: what clients outside reach. */}}
{{- define "worlds.url" -}}
{{- index .root.Values.urls .facts.public.host | trimSuffix "/" -}}
{{- end -}}

{{- define "worlds.host" -}}
{{- (urlParse (include "worlds.url" .)).hostname -}}
{{- end -}}

{{- define "worlds.publicServiceName" -}}
{{ include "worlds.fullname" .root }}-{{ .facts.public.service }}
{{- end -}}
