/** Free loopback ports, for servers whose address must be known before they start. */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/**
 * Returns a port that was free a moment ago. It is below the ports that systems give to outgoing connections and to servers on
 * port 0, so that none of them takes it in the meantime.
 */
export const freePort = async (): Promise<number> => {
  const port = randomInt(20_000, 32_000)
  const probe = createServer().listen(port, "127.0.0.1")
  try {
    await once(probe, "listening")
  } catch {
    return freePort()
  }
  probe.close()
  await once(probe, "close")
  return port
}
