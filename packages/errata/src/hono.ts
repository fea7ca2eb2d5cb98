/** Hono: a scope for each request, and reports of the errors that become a response with status 500. */
import {
  addressOf,
  captureUnhandled,
  enter,
  type RequestErrata,
  type RequestOptions,
  type RequestReader,
} from "./web/RequestScope.js"

export type { RequestErrata } from "./web/RequestScope.js"

/** The part of a context of Hono that reports contain. */
export interface HonoContext {
  readonly req: {
    readonly method: string
    readonly path: string
    readonly url: string
    readonly routePath?: string
    readonly header: () => Readonly<Record<string, string>>
    readonly raw: Request
  }
  /** The error that the application's `onError` handled. */
  readonly error?: Error | undefined
  readonly res: Response
}

/**
 * Returns a middleware that opens a scope for each request. It reports errors that the application, or its `onError`, answers
 * with status 500 or higher. Put it first: `app.use(honoMiddleware(errata))`.
 */
export const honoMiddleware =
  (errata: RequestErrata, { shouldCapture }: Pick<RequestOptions, "shouldCapture"> = {}) =>
  (context: HonoContext, next: () => Promise<void>): Promise<void> => {
    const reader = readerOf(context)
    const report = (error: unknown, isWanted: boolean): void => {
      if (shouldCapture?.(error) ?? isWanted) void captureUnhandled(errata, context.req.raw, reader, error)
    }
    return enter(errata, context.req.raw, reader, async () => {
      try {
        await next()
      } catch (error) {
        // Hono passes only instances of Error to `onError`.
        report(error, true)
        throw error
      }
      if (context.error !== undefined) report(context.error, context.res.status >= 500)
    })
  }

// internal

const readerOf = ({ req }: HonoContext): RequestReader => ({
  request: () => ({ ...addressOf(req.url), method: req.method, headers: req.header() }),
  transaction: () => {
    const route = req.routePath
    return `${req.method} ${route === undefined || route.endsWith("*") ? req.path : route}`
  },
})
