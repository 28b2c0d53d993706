{{/* On Citus the tables are spread once they are there; a run that finds them spread leaves them. */}}
{{- define "worlds.migrationPod" -}}
{{- $root := index . 0 -}}
{{- $pod := index . 1 -}}
{{- $citus := eq $root.Values.postgres.topology "citus" -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
{{ include "worlds.pod" (list $root $pod) | trim }}
{{ ternary "initContainers" "containers" $citus }}:
  - name: migrate
    args: [ops.js, migrate]
    {{- include "worlds.migrationContainer" (list $root $pod "") | nindent 4 }}
{{- if $citus }}
containers:
  - name: distribute
    args: ["-e", {{ $root.Files.Get "files/distribute.js" | toJson }}]
    {{- include "worlds.migrationContainer" (list $root $pod ($root.Files.Get "files/distribute.sql")) | nindent 4 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- with $pod.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "worlds.migrationContainer" -}}
{{- $root := index . 0 -}}
{{- $pod := index . 1 -}}
{{- $m := $root.Values.migrations -}}
image: {{ include "worlds.image" (list $root "ops" $pod.image) | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
env:
  {{- $env := dict }}
  {{- range $name, $key := dict "DATABASE_URL" "ownerUrl" "ELEMENT_DB_PASSWORD" "element" "MEMBERSHIP_DB_PASSWORD" "membership" "CHANGE_FEED_DB_PASSWORD" "changeFeed" "FILE_DB_PASSWORD" "file" }}
  {{- $_ := set $env $name (include "worlds.fromSecret" (list $m.existingSecret (get $m.keys $key)) | fromYaml) }}
  {{- end }}
  {{- with index . 2 }}{{ $_ := set $env "DISTRIBUTE_SQL" . }}{{ end }}
  {{- range $name, $value := $pod.env }}{{ $_ := set $env $name $value }}{{ end }}
  {{- include "worlds.envList" $env | trim | nindent 2 }}
{{- with $pod.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml $pod.resources | nindent 2 }}
securityContext:
  {{- toYaml $pod.securityContext | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- with $pod.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
