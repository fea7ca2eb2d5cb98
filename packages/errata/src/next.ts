/** Next.js: reports of the errors of its server, and a scope for each request of a route handler. */
import type { CaptureContext, CaptureRequest } from "@errata/effect/capture"
import type { Scope } from "./capture/Scope.js"
import { addressOf, enter, type RequestErrata, remember, scopeOf } from "./web/RequestScope.js"

export type { RequestErrata } from "./web/RequestScope.js"

/** The request that Next.js passes to `onRequestError`. */
export interface FailedRequest {
  readonly path: string
  readonly method: string
  readonly headers?: CaptureRequest["headers"]
}

/** The route of the error, as Next.js passes it to `onRequestError`. */
export interface FailedRoute {
  readonly routePath: string
  readonly routerKind?: string
  readonly routeType?: string
  readonly renderSource?: string | undefined
}

/**
 * Reports an error that Next.js passes to `onRequestError`, and waits until it is stored.
 *
 * @example
 * ```ts
 * // instrumentation.ts
 * export const onRequestError = async (...args: [unknown, FailedRequest, FailedRoute]) => {
 *   if (process.env.NEXT_RUNTIME === "edge") return
 *   const { errata } = await import("./lib/errata")
 *   await captureRequestError(await errata(), ...args)
 * }
 * ```
 */
export const captureRequestError = async (
  errata: RequestErrata,
  error: unknown,
  request: FailedRequest,
  route: FailedRoute,
): Promise<void> => {
  if (isControlFlow(error)) return
  const known = isObject(error) ? scopeOf(errata, error) : undefined
  const report = (scope: Scope) => {
    if (known === undefined) {
      scope.setRequest({
        ...addressOf(request.path),
        method: request.method,
        headers: request.headers,
      })
    }
    scope.setTransactionName(`${request.method} ${route.routePath}`)
    return errata.capture(error, { handled: false, contexts: contextsOf(route) })
  }
  // The log of the instance has the reason of a failure.
  await (known === undefined ? errata.withScope(report) : errata.withScope(known, report)).catch(() => {})
}

/**
 * Returns a route handler with a scope for each request. Its errors reach `onRequestError`, which reports them with the parts
 * of that scope.
 *
 * @example
 * ```ts
 * export const GET = routeHandler(errata, async (request) => Response.json(await orders(request)))
 * ```
 */
export const routeHandler =
  <Args extends readonly [request: Request, ...rest: ReadonlyArray<unknown>], A>(
    errata: RequestErrata | (() => RequestErrata | Promise<RequestErrata>),
    handler: (...args: Args) => A | Promise<A>,
  ) =>
  async (...args: Args): Promise<A> => {
    const instance = typeof errata === "function" ? await errata() : errata
    const [request] = args
    const reader = {
      request: () => ({
        ...addressOf(request.url),
        method: request.method,
        headers: Object.fromEntries(request.headers),
      }),
      transaction: () => `${request.method} ${new URL(request.url).pathname}`,
    }
    return enter(instance, request, reader, async () => {
      try {
        return await handler(...args)
      } catch (error) {
        if (isObject(error)) remember(instance, error, scopeOf(instance, request)!)
        throw error
      }
    })
  }

// internal

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Next.js throws to redirect, for pages that are not found, and to leave a prerender. It names these cases in capitals. */
const isControlFlow = (error: unknown): boolean =>
  isObject(error) && "digest" in error && /^[A-Z]/.test(String(error.digest))

const contextsOf = ({
  renderSource,
  routePath,
  routerKind,
  routeType,
}: FailedRoute): CaptureContext["contexts"] => ({
  nextjs: {
    route_path: routePath,
    router_kind: routerKind,
    route_type: routeType,
    render_source: renderSource,
  },
})
