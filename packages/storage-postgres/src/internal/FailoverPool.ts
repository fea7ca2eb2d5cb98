/**
 * A pool for a database on several hosts, of which one accepts writes. It connects to the host that it used last, and
 * tries the others if that fails. A promoted standby is therefore found by the next statement.
 */
import pg from "pg"
import type { DatabaseHosts } from "./DatabaseHosts.js"

/** `longest` is the time limit for trying all hosts, in milliseconds. Each host gets an equal share. */
export const make = (config: pg.PoolConfig, hosts: DatabaseHosts, longest: number): pg.Pool =>
  new FailoverPool(config, new Choice(hosts, longest))

// internal

/** The current host, which all connections of a pool share. */
class Choice {
  readonly patience: number
  private at = 0
  private readonly failures = new WeakSet<Error>()

  constructor(
    readonly database: DatabaseHosts,
    longest: number,
  ) {
    this.patience = Math.max(1, Math.floor(longest / database.hosts.length))
  }

  get current(): number {
    return this.at
  }

  /** Moves on to the next host, unless another connection already has. */
  failed(host: number, error: Error): Error {
    const { hosts } = this.database
    if (this.at === host) this.at = (host + 1) % hosts.length
    const failure = new Error(`${hosts[host]!.name}: ${error.message}`, { cause: error })
    this.failures.add(failure)
    return failure
  }

  /** Returns true for an error of a host rather than of a full or closed pool. */
  isFailure(error: Error): boolean {
    return this.failures.has(error)
  }
}

type Connected = Parameters<pg.Pool["connect"]>[0]

class FailoverPool extends pg.Pool {
  constructor(
    config: pg.PoolConfig,
    private readonly choice: Choice,
  ) {
    super({
      ...config,
      Client: clientOf(choice),
      ...(choice.database.mustWrite
        ? { verify: (client, done) => verify(client as HostClient, choice, done) }
        : {}),
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (connected === undefined) {
      return new Promise((resolve, reject) => {
        this.tryHosts((error, client) => (client === undefined ? reject(error) : resolve(client)), [])
      })
    }
    this.tryHosts(connected, [])
    return undefined
  }

  private tryHosts(connected: Connected, failures: ReadonlyArray<Error>): void {
    const { hosts, problem } = this.choice.database
    if (problem !== null) {
      connected(new Error(problem), undefined, () => {})
      return
    }
    super.connect((error, client, release) => {
      const all = error === undefined ? [] : [...failures, error]
      if (error === undefined || !this.choice.isFailure(error)) connected(error, client, release)
      else if (all.length < hosts.length) this.tryHosts(connected, all)
      else connected(failed(all), undefined, release)
    })
  }
}

/** The error of a single host is kept unchanged, with its SQLSTATE. */
const failed = (failures: ReadonlyArray<Error>): Error => {
  const messages = failures.map(({ message }) => message)
  const [only] = failures
  return failures.length === 1 && only!.cause instanceof Error
    ? only!.cause
    : new Error(`No host of the database accepts writes. ${messages.join("; ")}`, { cause: failures.at(-1) })
}

interface HostClient extends pg.PoolClient {
  readonly hostIndex: number
}

const clientOf = (choice: Choice) =>
  class extends pg.Client {
    readonly hostIndex = choice.current

    constructor(config?: pg.ClientConfig) {
      super({
        ...config,
        connectionString: choice.database.hosts[choice.current]!.url,
        connectionTimeoutMillis: choice.patience,
      })
    }

    override connect(): Promise<pg.Client>
    override connect(connected: (error: Error) => void): void
    override connect(connected?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (connected === undefined) return super.connect()
      super.connect((error: Error) => connected(error ? choice.failed(this.hostIndex, error) : error))
      return undefined
    }
  }

/** Standbys and fenced servers accept connections but no writes. */
const verify = (client: HostClient, choice: Choice, done: (error?: Error) => void): void => {
  const fail = (error: Error) => done(choice.failed(client.hostIndex, error))
  const query = { text: "SHOW transaction_read_only", query_timeout: choice.patience }
  client.query<{ transaction_read_only: string }>(query, (error, result) => {
    if (error) fail(error)
    else if (result.rows[0]?.transaction_read_only !== "off") fail(new Error("the server is read-only"))
    else done()
  })
}
