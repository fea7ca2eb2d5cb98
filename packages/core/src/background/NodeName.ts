/** Who does background work: the name by which its leases and heartbeats are known. */
import { randomBytes } from "node:crypto"
import { Context, Effect } from "effect"

/** What people know this process by, such as its host and process id. */
export const NodeName = Context.Reference("@errata/core/background/NodeName", {
  defaultValue: () => "node",
})

/** A name that nobody else has, in this process or another: two who share one would share each other's leases. */
export const fresh: Effect.Effect<string> = Effect.map(
  NodeName,
  (name) => `${name}/${randomBytes(4).toString("hex")}`,
)
