/**
 * Of every channel and server. Retries are the client's own work: grpc-js cannot see an Idempotency-Key.
 * There are no keepalive pings: one that falls due while a connection of full age ends gracefully
 * cannot be sent any longer, and grpc-js then cuts the connection with the calls that it still carries.
 * Instead a new stream, of which there is one every half minute, finds out whether its peer is there.
 */
export const channelOptions = {
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': 16 << 20,
  'grpc.max_send_message_length': 16 << 20,
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 250,
  'grpc.service_config_disable_resolution': 1,
}
