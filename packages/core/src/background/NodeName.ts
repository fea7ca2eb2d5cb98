/** Names of nodes, which own leases and heartbeats. */
import { randomBytes } from "node:crypto"
import { Context, Effect } from "effect"

/** A readable name of this process, such as its host name and process id. */
export const NodeName = Context.Reference("@errata/core/background/NodeName", {
  defaultValue: () => "node",
})

/** Generates a name that is unique across processes. Nodes with the same name would share leases. */
export const fresh: Effect.Effect<string> = Effect.map(
  NodeName,
  (name) => `${name}/${randomBytes(4).toString("hex")}`,
)
