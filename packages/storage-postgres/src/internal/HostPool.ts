/**
 * A pool that belongs to the application that Errata is part of, as Errata uses it. The application's own connections
 * are set up by nobody else: what Errata needs of them holds for its own statements only.
 */
import { Effect, type Scope } from "effect"
import type pg from "pg"
import { sqlState } from "./SqlState.js"

export interface Settings {
  /** How long a statement may take before its connection is given up as dead, in milliseconds; null for ever. */
  readonly answerMillis: number | null
  /** The same, of a statement that nobody waits for any more. */
  readonly releasedMillis: number
  /** How long a statement or a transaction waits for a connection to be free, in milliseconds. */
  readonly connectMillis: number
}

/** Closing the scope ends nothing but what is used of the pool: its connections and its end are the application's. */
export const make = (pool: pg.Pool, settings: Settings): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.as(
    // A connection that breaks while nobody uses it is replaced by the pool, and without any listener ends the process.
    Effect.acquireRelease(
      Effect.sync(() => watch(pool)),
      () => Effect.sync(() => unwatch(pool)),
    ),
    // All but its way to connect is the pool's own.
    Object.assign(Object.create(pool) as pg.Pool, { connect: connector(pool, settings) }),
  )

// internal

/** How many use each pool. All share one listener: a pool warns of more than ten. */
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

/** The pool may have callers wait for ever, and would count one that has gone among those who wait. */
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

/** A connection while Errata uses it. It is given back when it has nothing to do any more, or else to be ended. */
class BorrowedClient {
  private failure: Error | undefined
  private unanswered = 0
  /** Nobody uses it any more, and the pool does not have it back yet. */
  private isOwed = false
  private late: NodeJS.Timeout | undefined

  constructor(
    private readonly client: pg.PoolClient,
    private readonly settings: Settings,
  ) {}

  /** By which the server is told to end a statement. */
  get processID(): unknown {
    return "processID" in this.client ? this.client.processID : undefined
  }

  /** In the forms in which `PgSqlClient` and the pool itself call it. */
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
    // After a pause of this process the timer is due before the answer that arrived meanwhile is read.
    const timer = answerMillis === null ? undefined : setTimeout(() => setImmediate(silent), answerMillis)
    this.unanswered++
    this.client.query(config, answer)
  }

  release(cause?: Error): void {
    this.failure ??= cause
    if (this.failure !== undefined || this.unanswered === 0) {
      this.client.release(this.failure)
    } else {
      // Whoever waited was interrupted. The connection may break before it is given back, and nobody else listens.
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

/** The server has not said that it is done with the statement; and it was sent, which the driver does not do with these. */
const mayBeBusy = (error: Error): boolean =>
  sqlState(error) === null && !(error instanceof TypeError) && !(error instanceof RangeError)
