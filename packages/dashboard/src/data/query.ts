/** The cache of responses, and the hook that reads it. */
import { ConnectionFailedError, ErrataApiError } from "@errata/api/promise"
import {
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from "@tanstack/query-core"
import { useLayoutEffect, useReducer, useState } from "preact/hooks"
import { useIsShown } from "./shown.js"

/** The context of a query that is aborted when no page needs it. */
export interface Aborts {
  readonly signal: AbortSignal
}

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The server may be on this machine, which needs no network.
      networkMode: "always",
      staleTime: 5_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => isWorthRetry(failures, error),
      retryDelay: (failures, error) => delayOf(failures, error),
    },
  },
})
cache.mount()

/** Reads a query, and renders again when the fields that were read change. On a hidden page it requests nothing. */
export const useQuery = <T>(options: QueryObserverOptions<T>): QueryObserverResult<T> => {
  const isShown = useIsShown()
  const defaulted = cache.defaultQueryOptions({
    ...(options as QueryObserverOptions),
    ...(!isShown && { enabled: false }),
  })
  const [observer] = useState(() => new QueryObserver<unknown>(cache, defaulted))
  const [, update] = useReducer((count: number) => count + 1, 0)
  const result = observer.getOptimisticResult(defaulted)
  // Requests are sent before the paint, not after it. `setOptions` comes second: it would take over a response since the
  // render without notifying anyone.
  useLayoutEffect(() => observer.subscribe(() => update(undefined)), [observer])
  useLayoutEffect(() => observer.setOptions(defaulted))
  return observer.trackResult(result) as QueryObserverResult<T>
}

/** True for failures that pass by themselves. */
export const isWorthRetry = (failures: number, error: Error): boolean => failures < 2 && isPassing(error)

/** The time before a retry in ms, as the server asked for it. */
export const delayOf = (failures: number, error: Error): number => retryAfter(error) ?? 1000 * 2 ** failures

/** Requests again all that the page shows and that failed. */
export const retryFailed = (): void => {
  void cache.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" })
}

/**
 * The polling interval of a page: none while its tab is hidden, one minute after five minutes without input. A failure
 * without an earlier response stays until the reader retries: each retry would take the focus.
 */
export const pollEvery =
  (millis: number) =>
  (query?: { readonly state: { readonly data: unknown; readonly error: unknown } }): number | false => {
    if (query !== undefined && query.state.data === undefined && query.state.error !== null) return false
    return isIdle() ? Math.max(millis, 60_000) : millis
  }

// internal

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionFailedError ||
  (error instanceof ErrataApiError && (error.status === 429 || error.status === 503))

const retryAfter = (error: unknown): number | null => {
  const seconds = error instanceof ErrataApiError ? Number(error.retryAfter ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) ? Math.min(seconds, 60) * 1000 : null
}

let lastInput = Date.now()
for (const event of ["keydown", "pointerdown", "pointermove", "wheel"]) {
  addEventListener(event, () => (lastInput = Date.now()), { capture: true, passive: true })
}
const isIdle = (): boolean => Date.now() - lastInput > 5 * 60_000
