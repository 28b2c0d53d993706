{{- define "worlds.rules" -}}
{{- $of := printf "namespace=%q,job=%q" .Release.Namespace .Release.Name -}}
{{- $limits := .Values.monitoring.prometheusRule.limits -}}
- alert: WorldsSlotsSaturated
  expr: max by (pod) (request_slots_in_use{ {{- $of -}} } / request_slots_capacity{ {{- $of -}} }) > 0.9
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: A gateway has had nearly all its request slots in use for five minutes.
    description: Requests begin to wait. Add gateways, or find what became slow behind them.
- alert: WorldsRequestsRefused
  expr: sum(rate(request_slots_refused_total{ {{- $of -}} }[5m])) > 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: Gateways refuse requests for want of a slot.
    description: Clients are told 503 server_busy after they have waited.
- alert: WorldsErrors
  expr: |
    sum(rate(http_server_duration_seconds_count{ {{- $of }},status=~"5.."}[5m]))
      / sum(rate(http_server_duration_seconds_count{ {{- $of -}} }[5m])) > {{ $limits.errorRatio }}
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: More than {{ mulf 100.0 $limits.errorRatio }} % of requests are answered with 5xx.
    description: 503 means that something behind the gateway is away or busy, see docs/operations.md; 500 is a fault.
- alert: WorldsQueueOld
  expr: max by (queue) (queue_oldest_job_age_seconds{ {{- $of -}} }) > {{ int $limits.queueAgeSeconds }}
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: The oldest job of {{ "{{ $labels.queue }}" }} waits for too long.
    description: Uploaded files are listed late, or what was deleted is still stored. Is file running, and Redis well?
- alert: WorldsJobsGivenUp
  expr: max by (queue) (queue_jobs{ {{- $of }},state="failed"}) > 0
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: Jobs of {{ "{{ $labels.queue }}" }} were given up.
    description: "`ops queue status` shows why, `ops queue retry` puts them back."
- alert: WorldsOutboxOld
  expr: |
    max(element_outbox_age_seconds{ {{- $of -}} }) > {{ int $limits.outboxAgeSeconds }}
      or max(membership_outbox_age_seconds{ {{- $of -}} }) > {{ int $limits.outboxAgeSeconds }}
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: What was decided has not been told to others for too long.
    description: Deletions, mails or changes of members are late. Redis, the mail server or element may be away.
- alert: WorldsBytesNotDeleted
  expr: max(file_doomed_age_seconds{ {{- $of -}} }) > {{ int $limits.doomedAgeSeconds }}
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: Bytes that were given up are still stored.
    description: The object store refuses or fails to delete.
- alert: WorldsPoolExhausted
  expr: max by (service, pod) (database_pool_connections{ {{- $of }},state="waiting"}) > 0
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: Requests in {{ "{{ $labels.service }}" }} have waited for a database connection for five minutes.
    description: Either PostgreSQL is slow or postgres.poolSize is small.
{{- end -}}
