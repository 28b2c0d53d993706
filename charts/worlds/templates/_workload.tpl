{{/* One service's Deployment; takes {root, key, facts, values}. */}}
{{- define "worlds.deployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $name := printf "%s-%s" (include "worlds.fullname" $root) .facts.name -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list $root .facts.name) | nindent 4 }}
  {{- $annotations := merge (dict) $values.annotations $root.Values.commonAnnotations }}
  {{- if $root.Values.argo.syncWaves }}
  {{- $_ := set $annotations "argocd.argoproj.io/sync-wave" (.facts.wave | int | toString) }}
  {{- end }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if not (include "worlds.isScaled" .) }}
  replicas: {{ int $values.replicas }}
  {{- end }}
  minReadySeconds: 5
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 25% }
  selector:
    matchLabels:
      {{- include "worlds.selector" (list $root .facts.name) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "worlds.podLabels" (list $root .facts.name $values.podLabels) | nindent 8 }}
        worlds/scraped: "true"
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "worlds.serviceAccountName" . }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ include "worlds.graceSeconds" . }}
      {{- include "worlds.pod" (list $root $values) | trim | nindent 6 }}
      {{- include "worlds.spread" . | nindent 6 }}
      containers:
        - name: {{ .facts.name }}
          image: {{ include "worlds.image" (list $root .facts.name $values.image) | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          ports:
            {{- include "worlds.ports" . | nindent 12 }}
          env:
            {{- include "worlds.env" . | trim | nindent 12 }}
          {{- with $values.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- include "worlds.probes" $values | trim | nindent 10 }}
          {{- if $values.shutdown.preStopSleepSeconds }}
          # It serves on while others learn that it is about to go.
          lifecycle:
            preStop:
              sleep: { seconds: {{ int $values.shutdown.preStopSleepSeconds }} }
          {{- end }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if include "worlds.hasTls" . }}
            - { name: tls, mountPath: /etc/worlds/tls, readOnly: true }
            {{- end }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: {{ include "worlds.tmpSize" . }} }
        {{- if include "worlds.hasTls" . }}
        {{- include "worlds.tlsVolume" $root | nindent 8 }}
        {{- end }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* What every pod has, of root and a map with the pod's own settings. No user and no group: the image has a user, and
     some clusters choose one themselves. */}}
{{- define "worlds.pod" -}}
{{- $root := index . 0 -}}
{{- $values := index . 1 -}}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml $values.podSecurityContext | nindent 2 }}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with get $values $field }}
{{ $field }}:
  {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "worlds.spread" -}}
{{- if kindIs "invalid" .values.topologySpreadConstraints -}}
topologySpreadConstraints:
  {{- $selector := include "worlds.selector" (list .root .facts.name) }}
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- else -}}
{{- with .values.topologySpreadConstraints -}}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Over plain HTTP on a port of their own, which neither mutual TLS nor a full gateway reaches. */}}
{{- define "worlds.probes" -}}
{{- $paths := dict "startup" "/readyz" "readiness" "/readyz" "liveness" "/livez" -}}
{{- range $kind := list "startup" "readiness" "liveness" }}
{{ $kind }}Probe:
  httpGet: { path: {{ get $paths $kind }}, port: metrics }
  {{- toYaml (get $.probes $kind) | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "worlds.hasTls" -}}
{{- if and .root.Values.tls.existingSecret (has "rpc" .facts.needs) }}true{{ end -}}
{{- end -}}

{{- define "worlds.tlsVolume" -}}
- name: tls
  secret:
    secretName: {{ .Values.tls.existingSecret }}
    items:
      - { key: {{ .Values.tls.keys.certificate | quote }}, path: tls.crt }
      - { key: {{ .Values.tls.keys.key | quote }}, path: tls.key }
      - { key: {{ .Values.tls.keys.authority | quote }}, path: ca.crt }
{{- end -}}
