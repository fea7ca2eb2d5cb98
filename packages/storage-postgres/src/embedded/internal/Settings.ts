/** The server's settings, given on its command line so that a new release brings its own. */

export interface Endpoint {
  /** The folder of the socket, or none where the server listens on 127.0.0.1. */
  readonly socketDir: string | undefined
  readonly port: number
}

/**
 * For one application beside it on a small machine: many short writing transactions, index scans, few connections.
 * `durable` is false only for throw-away databases.
 */
export const settings = (endpoint: Endpoint, durable: boolean): ReadonlyArray<string> => {
  const values = {
    port: endpoint.port,
    listen_addresses: endpoint.socketDir === undefined ? "127.0.0.1" : "",
    ...(endpoint.socketDir === undefined
      ? {}
      : { unix_socket_directories: endpoint.socketDir, unix_socket_permissions: "0700" }),
    max_connections: durable ? 32 : 100,
    fsync: durable ? "on" : "off",
    synchronous_commit: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
    shared_buffers: "96MB",
    effective_cache_size: "512MB",
    work_mem: "8MB",
    maintenance_work_mem: "64MB",
    random_page_cost: "1.1",
    // Reads ahead within the backend: the three worker processes that PostgreSQL 18 keeps for it do not pay here.
    io_method: "sync",
    jit: "off",
    max_worker_processes: 4,
    max_parallel_workers_per_gather: 0,
    // Nothing replicates from this server, so the log of changes holds what recovery needs and no more.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    // Whole pages are logged as they are, and seldom: the only compression of this build, pglz, took a third of the
    // database's processor time where a million reports are stored, for half of the log.
    wal_compression: "off",
    min_wal_size: "64MB",
    // Each checkpoint has every page logged whole once more. With ten million reports and 1GB that was two thirds of the log.
    max_wal_size: "2GB",
    checkpoint_timeout: "10min",
    checkpoint_completion_target: "0.9",
    autovacuum: "on",
    autovacuum_max_workers: 2,
    log_timezone: "UTC",
    timezone: "UTC",
    log_checkpoints: "off",
    log_min_messages: "warning",
    // A statement holds what strangers sent; the log is no place for it.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  }
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}
