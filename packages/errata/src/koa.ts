/** Koa: a scope for each request, and reports of the errors that become a response with status 500. */
import {
  addressOf,
  captureUnhandled,
  enter,
  isServerError,
  type RequestErrata,
  type RequestOptions,
  type RequestReader,
} from "./web/RequestScope.js"

export type { RequestErrata, RequestOptions } from "./web/RequestScope.js"

/** The part of a context of Koa that reports contain. */
export interface KoaContext {
  readonly method: string
  readonly path: string
  readonly href: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly request: object
}

/**
 * Returns a middleware that opens a scope for each request, and reports errors before it passes them on. Put it first, or
 * after a middleware that answers errors.
 */
export const koaMiddleware = (errata: RequestErrata, options: RequestOptions = {}) => {
  const shouldCapture = options.shouldCapture ?? ((error) => isServerError(error))
  return (context: KoaContext, next: () => Promise<unknown>): Promise<void> => {
    const reader = readerOf(context, options)
    return enter(errata, context, reader, async () => {
      try {
        await next()
      } catch (error) {
        if (shouldCapture(error)) void captureUnhandled(errata, context, reader, error)
        throw error
      }
    })
  }
}

// internal

const readerOf = (context: KoaContext, { body = false }: RequestOptions): RequestReader => ({
  request: () => ({
    ...addressOf(context.href),
    method: context.method,
    headers: context.headers,
    ...(body && "body" in context.request ? { data: context.request.body } : {}),
  }),
  transaction: () => {
    // `@koa/router` leaves the route here.
    const route = "_matchedRoute" in context ? context._matchedRoute : undefined
    return `${context.method} ${typeof route === "string" ? route : context.path}`
  },
})
