/** Fastify: a scope for each request, and reports of the errors that become a response with status 500. */
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

/** The part of an application of Fastify that the plugin uses. */
export interface FastifyApplication {
  readonly addHook: Function
}

/** A plugin for `app.register`. It opens a scope for each request, and reports errors before the error handler runs. */
export const fastifyPlugin = (errata: RequestErrata, options: RequestOptions = {}) => {
  const { shouldCapture } = options
  const plugin = (app: FastifyApplication, _options: unknown, done: () => void): void => {
    const addHook = app.addHook.bind(app) as AddHook
    const open = (request: FastifyRequest, _reply: FastifyReply, next: () => void): void =>
      enter(errata, request, readerOf(request, options), next)
    addHook("onRequest", open)
    // Hooks of other plugins, e.g. of a session store, may have lost the asynchronous context.
    addHook("preValidation", open)
    addHook("onError", (request, reply, error, next) => {
      const isWanted = shouldCapture ?? ((thrown: unknown) => isServerError(thrown, reply.statusCode))
      if (isWanted(error)) void captureUnhandled(errata, request, readerOf(request, options), error)
      next()
    })
    done()
  }
  return Object.assign(plugin, {
    // The hooks then belong to the application that registers the plugin.
    [Symbol.for("skip-override")]: true,
    [Symbol.for("fastify.display-name")]: "errata",
  })
}

// internal

interface FastifyRequest {
  readonly method: string
  readonly originalUrl: string
  readonly protocol: string
  readonly host: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly routeOptions: { readonly url?: string }
  readonly body?: unknown
}

interface FastifyReply {
  readonly statusCode: number
}

interface AddHook {
  (
    name: "onRequest" | "preValidation",
    hook: (request: FastifyRequest, reply: FastifyReply, next: () => void) => void,
  ): void
  (
    name: "onError",
    hook: (request: FastifyRequest, reply: FastifyReply, error: unknown, next: () => void) => void,
  ): void
}

const readerOf = (request: FastifyRequest, { body = false }: RequestOptions): RequestReader => ({
  request: () => ({
    ...addressOf(`${request.protocol}://${request.host}${request.originalUrl}`),
    method: request.method,
    headers: request.headers,
    ...(body ? { data: request.body } : {}),
  }),
  transaction: () => `${request.method} ${request.routeOptions.url ?? request.originalUrl.split("?")[0]}`,
})
