/** How MCP clients are answered, for whoever plugs it in: `@errata/mcp` does. */
import type { Actor, Services } from "@errata/core"
import type { Effect, Scope } from "effect"

/** A request whose sender is known. */
export interface McpCall {
  /** Its URL and headers; the body is not in it. */
  readonly request: Request
  readonly body: string
  readonly actor: Actor
  /** Where clients learn who issues tokens; null where the instance does not know its address. */
  readonly resourceMetadataUrl: string | null
  /** Where links lead; null where the instance does not know its address. */
  readonly webAddress: string | null
}

/** Answers a request of an MCP client. */
export type McpHandler = (call: McpCall) => Promise<Response>

/** Makes the handler when the first client calls, so that a server without any carries none of its weight. */
export type Mcp = Effect.Effect<McpHandler, never, Services.Services | Scope.Scope>
