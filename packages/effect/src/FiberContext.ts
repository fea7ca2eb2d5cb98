/** The context of an error, from the fiber in which it happens. */
import { Context, type Fiber, Option, References, type Tracer } from "effect"
import { workOf } from "./Breadcrumbs.js"
import type { CaptureContext, CaptureRequest, CaptureUser } from "./capture.js"

export const contextOf = (fiber: Fiber.Fiber<unknown, unknown>): CaptureContext => {
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  return {
    tags: tagsOf(annotations),
    user: userOf(annotations),
    request: requestOf(fiber),
    transaction: transactionOf(fiber),
    contexts: {
      ...traceOf(fiber.cache.span),
      fiber: { id: fiber.id },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  }
}

/** The values that groups can be searched by. */
export const tagsOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, Tag>> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Tag] => isTag(entry[1])))

// internal

type Tag = string | number | boolean

const isTag = (value: unknown): value is Tag =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** By the names of OpenTelemetry. */
const userOf = (annotations: Readonly<Record<string, unknown>>): CaptureUser | undefined => {
  const members = Object.entries({
    id: annotations["user.id"],
    email: annotations["user.email"],
    username: annotations["user.name"],
  }).filter(([, value]) => isTag(value))
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

// A service with the same key is equal. An import would load the HTTP server.
const HttpServerRequest = Context.Service<Request, Request>("effect/http/HttpServerRequest")

interface Request {
  readonly method: string
  readonly originalUrl: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const RouteContext = Context.Service<Route, Route>("effect/http/HttpRouter/RouteContext")

interface Route {
  readonly route: { readonly path: string }
}

const requestOf = (fiber: Fiber.Fiber<unknown, unknown>): CaptureRequest | undefined => {
  const request = Context.getOrUndefined(fiber.context, HttpServerRequest)
  if (request === undefined) return undefined
  const { headers, method, originalUrl } = request
  const { host, "x-forwarded-proto": scheme = "http" } = headers
  const isPath = originalUrl.startsWith("/") && host !== undefined
  return { method, url: isPath ? `${scheme}://${host}${originalUrl}` : originalUrl, headers: { ...headers } }
}

/** The route of the fiber's request, or else the span of its work. */
const transactionOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  const route = Context.getOrUndefined(fiber.context, RouteContext)
  const request = Context.getOrUndefined(fiber.context, HttpServerRequest)
  return route && request ? `${request.method} ${route.route.path}` : workOf(fiber)?.name
}

const traceOf = (span: Tracer.AnySpan | undefined) => {
  if (span === undefined) return {}
  const ids = { trace_id: span.traceId, span_id: span.spanId }
  if (span._tag === "ExternalSpan") return { trace: ids }
  const parent = Option.getOrUndefined(span.parent)
  return {
    trace: {
      ...ids,
      ...(parent === undefined ? {} : { parent_span_id: parent.spanId }),
      op: span.kind,
      description: span.name,
      data: Object.fromEntries(span.attributes),
    },
  }
}
