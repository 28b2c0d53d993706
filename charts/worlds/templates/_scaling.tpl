{{- define "worlds.disruptionBudget" -}}
{{- if and .values.pdb.enabled (gt (include "worlds.fewest" . | int) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "worlds.fullname" .root }}-{{ .facts.name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list .root .facts.name) | nindent 4 }}
spec:
  maxUnavailable: {{ include "worlds.plain" .values.pdb.maxUnavailable }}
  # Pods that are not well anyway must not hold up a drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "worlds.selector" (list .root .facts.name) | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "worlds.autoscaler" -}}
{{- $scaling := .values.autoscaling -}}
{{- if $scaling.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "worlds.fullname" .root }}-{{ .facts.name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list .root .facts.name) | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "worlds.fullname" .root }}-{{ .facts.name }}
  minReplicas: {{ int $scaling.minReplicas }}
  maxReplicas: {{ int $scaling.maxReplicas }}
  metrics:
    {{- if $scaling.targetCPUUtilizationPercentage }}
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ int $scaling.targetCPUUtilizationPercentage }} }
    {{- end }}
    {{- with $scaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "worlds.scaledObject" -}}
{{- $keda := .values.keda -}}
{{- if $keda.enabled -}}
{{- $name := printf "%s-%s" (include "worlds.fullname" .root) .facts.name -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list .root .facts.name) | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicaCount: {{ int $keda.minReplicas }}
  maxReplicaCount: {{ int $keda.maxReplicas }}
  pollingInterval: {{ int $keda.pollingInterval }}
  cooldownPeriod: {{ int $keda.cooldownPeriod }}
  triggers:
    {{- if and (eq .key "file") $keda.queue.enabled }}
    {{- include "worlds.queueTrigger" (list .root $keda.queue $name) | nindent 4 }}
    {{- end }}
    {{- with $keda.triggers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- if and (eq .key "file") $keda.queue.enabled $keda.queue.existingSecret }}
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  name: {{ $name }}-queue
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "worlds.labels" (list .root .facts.name) | nindent 4 }}
spec:
  secretTargetRef:
    - { parameter: password, name: {{ $keda.queue.existingSecret | quote }}, key: {{ $keda.queue.keys.password | quote }} }
    {{- with $keda.queue.keys.username }}
    - { parameter: username, name: {{ $keda.queue.existingSecret | quote }}, key: {{ . | quote }} }
    {{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* The jobs that wait: a list in Redis, all keys of a queue in one hash slot. */}}
{{- define "worlds.queueTrigger" -}}
{{- $redis := (index . 0).Values.redis -}}
{{- $queue := index . 1 -}}
- type: {{ get (dict "standalone" "redis" "sentinel" "redis-sentinel" "cluster" "redis-cluster") $redis.mode }}
  metadata:
    {{- if eq $redis.mode "standalone" }}
    address: {{ $queue.addresses | quote }}
    {{- else }}
    addresses: {{ $queue.addresses | quote }}
    {{- end }}
    {{- if eq $redis.mode "sentinel" }}
    sentinelMaster: {{ $queue.sentinelMaster | quote }}
    {{- end }}
    enableTLS: {{ $queue.tls | quote }}
    listName: {{ printf "%s:{file-stored}:file-stored:wait" $redis.prefix | quote }}
    listLength: {{ int $queue.jobsPerPod | quote }}
  {{- if $queue.existingSecret }}
  authenticationRef: { name: {{ index . 2 }}-queue }
  {{- end }}
{{- end -}}
