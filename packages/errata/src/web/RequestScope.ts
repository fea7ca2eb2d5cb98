/** The scope of a request, which the middleware opens and the error handler of the framework finds again. */
import type { CaptureContext, CaptureRequest } from "@errata/effect/capture"
import type { Scope } from "../capture/Scope.js"
import type { WithScope } from "../capture/Scopes.js"

/** The part of an instance that frameworks need. */
export interface RequestErrata {
  readonly capture: (error: unknown, context?: CaptureContext) => Promise<string>
  readonly withScope: WithScope
}

/** The options of a request scope. */
export interface RequestOptions {
  /** Adds the parsed body of the request to reports, if the framework has one. Not added by default. */
  readonly body?: boolean | undefined
  /**
   * Decides which errors are reported. By default these are the errors that become a response with status 500 or higher:
   * all without a status from 400 to 499.
   */
  readonly shouldCapture?: ((error: unknown) => boolean) | undefined
}

/** Reads the request of a framework. Both functions are called when an error is captured. */
export interface RequestReader {
  readonly request: () => CaptureRequest
  readonly transaction: () => string | undefined
}

/** Runs a function in the scope of a request. `key` is an object that belongs to this request alone. */
export const enter = <A>(errata: RequestErrata, key: object, reader: RequestReader, run: () => A): A => {
  const known = scopeOf(errata, key)
  if (known !== undefined) return errata.withScope(known, () => run())
  return errata.withScope((scope) => {
    remember(errata, key, scope)
    scope.setRequest(reader.request).setTransactionName(reader.transaction)
    return run()
  })
}

/** Reports an error that the application did not handle. The response does not wait for it. */
export const captureUnhandled = (
  errata: RequestErrata,
  key: object,
  reader: RequestReader,
  error: unknown,
): Promise<void> =>
  enter(errata, key, reader, () =>
    // The log of the instance has the reason of a failure.
    errata.capture(error, { handled: false }).then(
      () => {},
      () => {},
    ),
  )

/** Remembers a scope by the request, or by an error that leaves it. */
export const remember = (errata: RequestErrata, key: object, scope: Scope): void => {
  const known = scopes.get(errata) ?? new WeakMap<object, Scope>()
  scopes.set(errata, known)
  known.set(key, scope)
}

export const scopeOf = (errata: RequestErrata, key: object): Scope | undefined => scopes.get(errata)?.get(key)

/**
 * Returns true if the response to an error has status 500 or higher, by the status of the error. `status` is that of the
 * response, which counts if the error has none.
 */
export const isServerError = (error: unknown, status?: number): boolean => {
  const expected = statusOf(error) ?? status
  return expected === undefined || expected < 400 || expected >= 500
}

/** The address without its query, and the query. */
export const addressOf = (url: string): Pick<CaptureRequest, "query_string" | "url"> => {
  const [path = "", ...query] = url.split("?")
  return query.length === 0 ? { url: path } : { url: path, query_string: query.join("?") }
}

// internal

const scopes = new WeakMap<object, WeakMap<object, Scope>>()

/** The names that Express, Koa, Fastify, Hono and Boom use. */
const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  const { output, status, statusCode } = error as {
    readonly output?: { readonly statusCode?: unknown }
    readonly status?: unknown
    readonly statusCode?: unknown
  }
  const found = Number(status ?? statusCode ?? output?.statusCode)
  return Number.isInteger(found) ? found : undefined
}
