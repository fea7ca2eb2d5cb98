/** Errata's errors as tools of the Model Context Protocol. */
import type { Services } from "@errata/core"
import { Effect, type Scope } from "effect"
import type { Handler } from "./server/Handler.js"

export type { Call, Handler } from "./server/Handler.js"

/**
 * Handles requests of MCP clients: the option `mcp` of a server. The implementation is loaded at the first request.
 *
 * @example
 * ```ts
 * ErrataServer.layer({ host: "127.0.0.1", port: 8000, mcp })
 * ```
 */
export const mcp: Effect.Effect<Handler, never, Services.Services | Scope.Scope> = Effect.flatMap(
  Effect.promise(() => import("./server/Handler.js")),
  ({ make }) => make,
)
