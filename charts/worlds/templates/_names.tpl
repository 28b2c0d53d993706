{{- define "worlds.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What never changes over a release's life: list of root and component's name. */}}
{{- define "worlds.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "worlds.labels" -}}
{{- $root := index . 0 -}}
{{ include "worlds.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: worlds
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Of pods: without the chart's version, so that one that changes nothing of them restarts none. */}}
{{- define "worlds.podLabels" -}}
{{- $root := index . 0 -}}
{{ include "worlds.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: worlds
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- with index . 2 }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* List of root, own name of the image, and its overrides. */}}
{{- define "worlds.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 2 -}}
{{- $parts := list $root.Values.image.registry $root.Values.image.repository (default (index . 1) $image.name) | compact -}}
{{- $tag := $image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion -}}
{{- join "/" $parts -}}
{{- if $tag }}:{{ $tag }}{{ end -}}
{{- with $image.digest }}@{{ . }}{{ end -}}
{{- end -}}

{{- define "worlds.serviceAccountName" -}}
{{- $root := .root -}}
{{- $account := .values.serviceAccount -}}
{{- if $account.name }}{{ $account.name }}{{ else if $account.create }}{{ include "worlds.fullname" $root }}-{{ .facts.name }}{{ else }}default{{ end -}}
{{- end -}}

{{/* Lays the second map over the first, which is changed: false, 0 and empty count, as they would not with mergeOverwrite. */}}
{{- define "worlds.overlay" -}}
{{- $under := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $under $key)) -}}
{{- include "worlds.overlay" (list (get $under $key) $value) -}}
{{- else -}}
{{- $_ := set $under $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
