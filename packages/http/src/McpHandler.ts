/** The interface of MCP handlers such as that of `@errata/mcp`. */
import type { Actor, Services } from "@errata/core"
import type { Effect, Scope } from "effect"

/** An authenticated request. */
export interface McpCall {
  /** URL and headers, without the body. */
  readonly request: Request
  readonly body: string
  readonly actor: Actor
  /** URL of the protected resource metadata. Null if the instance does not know its address. */
  readonly resourceMetadataUrl: string | null
  /** Base URL for links. Null if the instance does not know its address. */
  readonly webAddress: string | null
}

/** Responds to a request of an MCP client. */
export type McpHandler = (call: McpCall) => Promise<Response>

/** Builds the handler at the first call, so that servers without MCP clients do not load it. */
export type Mcp = Effect.Effect<McpHandler, never, Services.Services | Scope.Scope>
