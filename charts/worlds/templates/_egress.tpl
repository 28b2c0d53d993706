{{/* Whom the pods of a component may reach: list of root, component, components that it calls, its needs. */}}
{{- define "worlds.egress" -}}
{{- $root := index . 0 -}}
{{- $egress := $root.Values.networkPolicy.egress -}}
{{- $needs := index . 3 -}}
{{- if $root.Values.otel.endpoint }}{{ $needs = append $needs "otel" }}{{ end -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "worlds.fullname" $root }}-{{ index . 1 }}-egress
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list $root (index . 1)) | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "worlds.selector" (list $root (index . 1)) | nindent 6 }}
  policyTypes: [Egress]
  egress:
    - ports:
        {{- range $egress.dnsPorts }}
        - { port: {{ int . }}, protocol: UDP }
        - { port: {{ int . }}, protocol: TCP }
        {{- end }}
      {{- with $egress.dnsTo }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- with index . 2 }}
    - to:
        - podSelector:
            matchLabels:
              {{- include "worlds.selector" (list $root "") | nindent 14 }}
            matchExpressions:
              - { key: app.kubernetes.io/component, operator: In, values: {{ sortAlpha . | toJson }} }
      ports: [{ port: 8080, protocol: TCP }]
    {{- end }}
    {{- range $store := list "postgres" "redis" "s3" "mail" "otel" }}
    {{- $to := get $egress $store }}
    {{- if and (has $store $needs) $to.cidrs }}
    - to:
        {{- range $to.cidrs }}
        - ipBlock: { cidr: {{ . | quote }} }
        {{- end }}
      ports:
        {{- range $to.ports }}
        - { port: {{ int . }}, protocol: TCP }
        {{- end }}
    {{- end }}
    {{- end }}
    {{- with $egress.extra }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
