/**
 * A pool of `pg` 8, as far as Errata names it in its declarations. A `pg.Pool` has this type. Programs that pass a URL compile
 * without `@types/pg`.
 */
export interface PgPool {
  readonly options: object
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  // biome-ignore lint/suspicious/noExplicitAny: the client of a library without types of its own.
  connect(callback: (error: Error | undefined, client: any, release: (cause?: any) => void) => void): void
  on(event: "error", listener: (error: Error) => void): unknown
  off(event: "error", listener: (error: Error) => void): unknown
}
