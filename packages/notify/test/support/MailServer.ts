/** A mail server on this machine, for tests. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A mail as it arrived. */
export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly isSecure: boolean
  readonly raw: string
  readonly mail: Email
}

/** A server that records mail. */
export interface TestMailServer {
  readonly port: number
  readonly received: Array<Received>
  /** Open connections, and their maximum. */
  readonly connections: { open: number; most: number; total: number }
  /** Closes all connections, as if they had been idle for too long. */
  readonly hangUp: () => void
  readonly stop: () => Promise<void>
}

/** Starts a server. It offers no TLS unless the options say so. */
export const start = async (options: SMTPServerOptions = {}): Promise<TestMailServer> => {
  const received: Array<Received> = []
  const connections = { open: 0, most: 0, total: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: (_, done) => {
      connections.open++
      connections.total++
      connections.most = Math.max(connections.most, connections.open)
      done()
    },
    onClose: () => {
      connections.open--
    },
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks)
        received.push({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          raw: raw.toString(),
          mail: await PostalMime.parse(raw),
        })
        done()
      })
    },
    ...options,
  })
  // Failed handshakes are expected.
  server.on("error", () => {})
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections,
    hangUp: () => {
      for (const connection of server.connections) {
        connection.send(421, "Timeout")
        connection.close()
      }
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The value of a header that occurs once. */
export const header = ({ mail }: Received, name: string): string | undefined => {
  const found = mail.headers.filter(({ key }) => key === name)
  return found.length === 1 ? found[0]!.value : undefined
}
