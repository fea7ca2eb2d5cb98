/**
 * Returns a port that was free a moment ago, for servers whose address must be known before they start. It is below the ports
 * that systems give to outgoing connections and to servers on port 0, so that none of them takes it in the meantime.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { Effect } from "effect"

export const freePort: Effect.Effect<number> = Effect.callback<number, Error>((resume) => {
  const port = randomInt(20_000, 32_000)
  const probe = createServer()
    .on("error", (error) => resume(Effect.fail(error)))
    .listen(port, "127.0.0.1", () => probe.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.retry({ times: 20 }), Effect.orDie)
