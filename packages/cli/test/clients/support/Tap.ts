/** A proxy between a client and the server that records requests and responses. */
import { createServer, type IncomingHttpHeaders, request } from "node:http"
import { Effect, type Scope } from "effect"

interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
}

export interface Tap {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
}

/** Forwards everything to the target, and removes the headers in `without` from responses. */
export const open = (
  target: string,
  without: ReadonlyArray<string> = [],
): Effect.Effect<Tap, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Tap & { readonly close: () => void }>((resume) => {
      const seen: Array<Seen> = []
      const server = createServer((incoming, answer) => {
        const url = new URL(incoming.url ?? "/", target)
        const { headers, method = "GET" } = incoming
        seen.push({ method, url, headers })
        const outgoing = request(url, { method, headers: { ...headers, host: url.host } }, (response) => {
          const kept = Object.entries(response.headers).filter(([name]) => !without.includes(name))
          answer.writeHead(response.statusCode ?? 502, Object.fromEntries(kept))
          response.pipe(answer)
        })
        outgoing.on("error", () => answer.destroy())
        incoming.pipe(outgoing)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, seen, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )
