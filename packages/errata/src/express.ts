/** Express: a scope for each request, and reports of the errors that become a response with status 500. */
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

/** The part of a request of Express that reports contain. */
export interface ExpressRequest {
  readonly method: string
  readonly originalUrl: string
  readonly protocol: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly route?: { readonly path?: unknown } | undefined
  readonly body?: unknown
}

/**
 * Returns a middleware that opens a scope for each request. Put it before the routes. Parsers that lose the asynchronous
 * context, such as `multer`, need it again after them.
 */
export const expressMiddleware =
  (errata: RequestErrata, options: RequestOptions = {}) =>
  (request: ExpressRequest, _response: unknown, next: () => void): void =>
    enter(errata, request, readerOf(request, options), next)

/** Returns an error handler that reports errors and passes them on. Put it after the routes and before your own handler. */
export const expressErrorHandler =
  (errata: RequestErrata, options: RequestOptions = {}) =>
  (
    error: unknown,
    request: ExpressRequest,
    response: { readonly statusCode: number },
    next: (error: unknown) => void,
  ): void => {
    const shouldCapture = options.shouldCapture ?? ((thrown) => isServerError(thrown, response.statusCode))
    if (shouldCapture(error)) void captureUnhandled(errata, request, readerOf(request, options), error)
    next(error)
  }

// internal

const readerOf = (request: ExpressRequest, { body = false }: RequestOptions): RequestReader => ({
  request: () => ({
    ...addressOf(`${request.protocol}://${request.headers.host ?? ""}${request.originalUrl}`),
    method: request.method,
    headers: request.headers,
    ...(body ? { data: request.body } : {}),
  }),
  transaction: () => `${request.method} ${routeOf(request)}`,
})

/** The route with the path that its routers are mounted at. Outside of a router, Express does not have that path any more. */
const routeOf = ({ originalUrl, route }: ExpressRequest): string => {
  const path = originalUrl.split("?")[0]!
  if (typeof route?.path !== "string") return path
  if (/[*{}()]/.test(route.path)) return route.path
  const segments = path.split("/").filter((segment) => segment !== "")
  const own = route.path.split("/").filter((segment) => segment !== "")
  return `/${[...segments.slice(0, Math.max(0, segments.length - own.length)), ...own].join("/")}`
}
