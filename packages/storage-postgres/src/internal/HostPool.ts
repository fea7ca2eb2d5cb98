/**
 * Wraps the pool of the host application. Does not configure its connections: Errata's limits apply to its own
 * statements only.
 */
import { Effect, type Scope } from "effect"
import type pg from "pg"
import { sqlState } from "./SqlState.js"

export interface Settings {
  /** Time without a response after which a connection counts as dead, in milliseconds; null for no limit. */
  readonly answerMillis: number | null
  /** The same for a statement that was interrupted. */
  readonly releasedMillis: number
  /** Maximum wait for a free connection, in milliseconds. */
  readonly connectMillis: number
}

/** Wraps a pool. Closing the scope stops using the pool but does not end it or its connections. */
export const make = (pool: pg.Pool, settings: Settings): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.as(
    // The pool replaces a broken idle connection. Its error event would end the process without a listener.
    Effect.acquireRelease(
      Effect.sync(() => watch(pool)),
      () => Effect.sync(() => unwatch(pool)),
    ),
    // Overrides only `connect`.
    Object.assign(Object.create(pool) as pg.Pool, { connect: connector(pool, settings) }),
  )

// internal

/** Number of wrappers per pool. They share one listener, because a pool warns of more than ten. */
const users = new WeakMap<pg.Pool, number>()

const watch = (pool: pg.Pool): void => {
  const before = users.get(pool) ?? 0
  users.set(pool, before + 1)
  if (before === 0) pool.on("error", ignore)
}

const unwatch = (pool: pg.Pool): void => {
  const left = (users.get(pool) ?? 1) - 1
  users.set(pool, left)
  if (left === 0) pool.off("error", ignore)
}

type Values = ReadonlyArray<unknown> | undefined
type Connected = (
  error: Error | undefined,
  client?: BorrowedClient,
  release?: (cause?: Error) => void,
) => void
type Answered = (error: Error | null | undefined, result?: unknown) => void

const ignore = () => {}

/** Has its own timeout: the pool's may be unlimited, and a pool keeps counting callers that gave up. */
const connector =
  (pool: pg.Pool, settings: Settings) =>
  (connected: Connected): void => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      connected(new Error(`No connection was free within ${settings.connectMillis} ms`))
    }, settings.connectMillis)
    pool.connect((error, client) => {
      clearTimeout(timer)
      if (isLate) return client?.release()
      if (client === undefined) return connected(error ?? new Error("The pool returned no connection"))
      const borrowed = new BorrowedClient(client, settings)
      connected(undefined, borrowed, (cause) => borrowed.release(cause))
    })
  }

/** A connection that Errata borrowed. It is released once it is idle, or released with an error to be closed. */
class BorrowedClient {
  private failure: Error | undefined
  private unanswered = 0
  /** Released by its user, but still waiting for a response. */
  private isOwed = false
  private late: NodeJS.Timeout | undefined

  constructor(
    private readonly client: pg.PoolClient,
    private readonly settings: Settings,
  ) {}

  /** Identifies the backend whose statement to cancel. */
  get processID(): unknown {
    return "processID" in this.client ? this.client.processID : undefined
  }

  /** Supports the call forms of `PgSqlClient` and of the pool. */
  query(statement: string | pg.QueryConfig, values: Values | Answered, then?: Answered): void {
    const answered = typeof values === "function" ? values : then
    const config = typeof statement === "string" ? { text: statement, ...valuesOf(values) } : statement
    if (this.failure !== undefined) {
      answered?.(this.failure)
      return
    }
    let isAnswered = false
    const answer: Answered = (error, result) => {
      if (isAnswered) return
      isAnswered = true
      clearTimeout(timer)
      this.unanswered--
      if (error && mayBeBusy(error)) this.failure = error
      answered?.(error, result)
      if (this.isOwed && this.unanswered === 0) this.giveBack()
    }
    const { answerMillis } = this.settings
    const silent = () => answer(new Error(`The database has not responded for ${answerMillis} ms`))
    // After a pause of this process, the timer fires before a response that has arrived is read.
    const timer = answerMillis === null ? undefined : setTimeout(() => setImmediate(silent), answerMillis)
    this.unanswered++
    this.client.query(config, answer)
  }

  release(cause?: Error): void {
    this.failure ??= cause
    if (this.failure !== undefined || this.unanswered === 0) {
      this.client.release(this.failure)
    } else {
      // The user was interrupted. Listen for errors until the connection is released, because no other listener does.
      this.isOwed = true
      this.client.on("error", ignore)
      const { releasedMillis } = this.settings
      this.late = setTimeout(() => {
        this.failure = new Error(`The database has not responded for ${releasedMillis} ms`)
        this.giveBack()
      }, releasedMillis)
    }
  }

  on(event: "error", listener: (error: Error) => void): void {
    this.client.on(event, listener)
  }

  once(event: "error", listener: (error: Error) => void): void {
    this.client.once(event, listener)
  }

  off(event: "error", listener: (error: Error) => void): void {
    this.client.off(event, listener)
  }

  removeListener(event: "error", listener: (error: Error) => void): void {
    this.client.off(event, listener)
  }

  private giveBack(): void {
    clearTimeout(this.late)
    this.isOwed = false
    this.client.off("error", ignore)
    this.client.release(this.failure)
  }
}

const valuesOf = (values: Values | Answered) =>
  typeof values === "function" || values === undefined ? {} : { values: [...values] }

/** True if the server may still execute the statement. The driver throws the two error types before sending. */
const mayBeBusy = (error: Error): boolean =>
  sqlState(error) === null && !(error instanceof TypeError) && !(error instanceof RangeError)
