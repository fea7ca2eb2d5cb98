/** Returns a port that was free a moment ago, for servers whose address must be known before they start. */
import { createServer } from "node:net"
import { Effect } from "effect"

export const freePort = Effect.callback<number>((resume) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const address = probe.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    probe.close(() => resume(Effect.succeed(port)))
  })
})
