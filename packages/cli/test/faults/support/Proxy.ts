/** A proxy in front of a database that can be cut or silenced, as networks and servers do. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, type Redacted, type Scope } from "effect"
import { targetOf, viaLoopback } from "../../../../storage-postgres/test/support/way.js"
import { freePort } from "../../support/FreePort.js"

export interface Proxy {
  /** The database through the proxy. */
  readonly url: Redacted.Redacted
  /** Forwards everything, including bytes held back before. */
  readonly open: Effect.Effect<void>
  /** Breaks every connection and refuses new ones. */
  readonly cut: Effect.Effect<void>
  /** Keeps connections and accepts new ones, but forwards nothing in either direction. */
  readonly silence: Effect.Effect<void>
  /** Resets every connection, even in the middle of a query. New ones work. */
  readonly reset: Effect.Effect<void>
  /** Silences the current connections permanently without closing them. New ones work. */
  readonly forget: Effect.Effect<void>
}

export const make = (database: Redacted.Redacted): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const target = targetOf(database)
    const pairs = new Set<Pair>()
    let silent = false
    const accept = (near: Socket) => {
      const far = connect(target)
      const pair: Pair = { near, far, forgotten: false }
      pairs.add(pair)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on("data", (chunk: Buffer) => {
          if (!pair.forgotten) to.write(chunk)
        })
        from.on("error", () => {})
        from.on("close", () => {
          pairs.delete(pair)
          if (!pair.forgotten) to.destroy()
        })
      }
      if (silent) pause(pair)
    }
    const server = createServer(accept)
    const port = yield* freePort
    const listen = Effect.callback<void>((resume) => {
      if (server.listening) return resume(Effect.void)
      const failed = (error: Error) => resume(Effect.die(error))
      server.once("error", failed)
      server.listen(port, "127.0.0.1", () => {
        server.off("error", failed)
        resume(Effect.void)
      })
    })
    const cut = Effect.sync(() => {
      silent = false
      server.close()
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
    })
    yield* Effect.acquireRelease(listen, () => cut)

    return {
      url: viaLoopback(database, port),
      cut,
      open: Effect.andThen(
        listen,
        Effect.sync(() => {
          silent = false
          for (const { near, far } of pairs) {
            near.resume()
            far.resume()
          }
        }),
      ),
      silence: Effect.sync(() => {
        silent = true
        for (const pair of pairs) pause(pair)
      }),
      reset: Effect.sync(() => {
        for (const { near, far } of pairs) {
          near.resetAndDestroy()
          far.destroy()
        }
      }),
      forget: Effect.sync(() => {
        for (const pair of pairs) {
          pair.forgotten = true
          pair.far.destroy()
        }
        pairs.clear()
      }),
    }
  })

// internal

interface Pair {
  readonly near: Socket
  readonly far: Socket
  forgotten: boolean
}

const pause = ({ near, far }: Pair): void => {
  near.pause()
  far.pause()
}
