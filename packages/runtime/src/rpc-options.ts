/** Of every channel and server. Retries are the client's own work: grpc-js cannot see an Idempotency-Key. */
export const channelOptions = {
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': 16 << 20,
  'grpc.max_send_message_length': 16 << 20,
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 250,
  'grpc.service_config_disable_resolution': 1,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
}
