/** The server's settings. They are passed on its command line, so that a new release can change them. */

export interface Endpoint {
  /** Folder of the socket; undefined if the server listens on 127.0.0.1. */
  readonly socketDir: string | undefined
  readonly port: number
}

/**
 * Settings for one application on the same small machine: many short write transactions, index scans, few connections.
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
    // Read in the backend: the three I/O workers of PostgreSQL 18 bring no benefit here.
    io_method: "sync",
    jit: "off",
    max_worker_processes: 4,
    max_parallel_workers_per_gather: 0,
    // No replication, so the WAL only needs what crash recovery needs.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    // Full pages are rare. This build only has pglz, which halved the WAL but took a third of the CPU time at a million
    // reports.
    wal_compression: "off",
    min_wal_size: "64MB",
    // Each checkpoint logs pages in full again: with 1GB, two thirds of the WAL at ten million reports.
    max_wal_size: "2GB",
    checkpoint_timeout: "10min",
    checkpoint_completion_target: "0.9",
    autovacuum: "on",
    autovacuum_max_workers: 2,
    log_timezone: "UTC",
    timezone: "UTC",
    log_checkpoints: "off",
    log_min_messages: "warning",
    // Statements contain data from reporting applications, which must not get into the log.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  }
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}
