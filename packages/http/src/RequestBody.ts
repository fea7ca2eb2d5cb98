/** Reads request bodies within bounds, of one request and of all together. */
import type { IncomingMessage } from "node:http"
import { Data, Effect } from "effect"

export class BodyRejected extends Data.TaggedError("BodyRejected")<{
  /** `busy`: the bodies under way fill the memory that they may. `aborted`: the sender went away. */
  readonly reason: "too_large" | "busy" | "aborted"
}> {}

/** The bytes of bodies that are held in memory at one time. */
export interface BodyBudget {
  used: number
  readonly max: number
}

/** The body of one request; what it takes of the budget is given back by `release`. */
export interface RequestBody {
  readonly read: Effect.Effect<Buffer, BodyRejected>
  readonly release: () => void
}

export const unlimitedBudget = (): BodyBudget => ({ used: 0, max: Number.POSITIVE_INFINITY })

/** A body on Node. Where it is refused, the rest is read and thrown away so that the answer gets through. */
export const fromNode = (request: IncomingMessage, maxBytes: number, budget: BodyBudget): RequestBody => {
  const account = new Account(maxBytes, budget)
  const read = Effect.async<Buffer, BodyRejected>((resume) => {
    // The sender may have left while the storage was asked whose key it is; no event tells of it any more.
    if (request.destroyed) {
      resume(aborted)
      return
    }
    if (Number(request.headers["content-length"]) > maxBytes) {
      refuse(request, maxBytes, () => resume(tooLarge))
      return
    }
    let isRefused = false
    request.on("data", (chunk: Buffer) => {
      const refused = account.add(chunk)
      if (refused === null) return
      isRefused = true
      request.removeAllListeners("data")
      refuse(request, maxBytes, () => resume(refused))
    })
    request.on("end", () => isRefused || resume(Effect.succeed(account.take())))
    request.on("error", () => resume(aborted))
    request.on("close", () => isRefused || resume(aborted))
  })
  return { read, release: () => account.release() }
}

/** A body of a fetch-style server. */
export const fromWeb = (request: Request, maxBytes: number, budget: BodyBudget): RequestBody => {
  const account = new Account(maxBytes, budget)
  const read = Effect.suspend(() => {
    const { body } = request
    if (body === null) return Effect.succeed(account.take())
    if (Number(request.headers.get("content-length")) > maxBytes) return tooLarge
    return Effect.acquireUseRelease(
      Effect.try({ try: () => body.getReader(), catch: () => new BodyRejected({ reason: "aborted" }) }),
      (reader) =>
        Effect.tryPromise({
          try: () => reader.read(),
          catch: () => new BodyRejected({ reason: "aborted" }),
        }).pipe(
          Effect.flatMap(({ done, value }) =>
            done ? Effect.succeed(true) : (account.add(Buffer.from(value)) ?? Effect.succeed(false)),
          ),
          Effect.repeat({ until: (done) => done }),
          Effect.map(() => account.take()),
        ),
      // Not waited for: it is the sender's to end, and it may never do so.
      (reader) => Effect.sync(() => void reader.cancel().catch(() => {})),
    )
  })
  return { read, release: () => account.release() }
}

/** Reads on without keeping anything, so that the sender gets to read its answer; up to a limit, then hangs up. */
export const discard = (request: IncomingMessage, maxBytes: number): void => {
  // Bodies somewhat too large are read to their end.
  let left = maxBytes * 4
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.on("error", () => {})
}

// internal

/**
 * Answers while the rest is still being read; or after it, where the answer closes the connection: closing it on what
 * has not been read takes the answer along.
 */
const refuse = (request: IncomingMessage, maxBytes: number, answer: () => void): void => {
  discard(request, maxBytes)
  if (request.headers.connection?.toLowerCase() === "close" && request.headers.expect === undefined) {
    request.on("end", answer)
    request.on("close", answer)
  } else {
    answer()
  }
}

const tooLarge = Effect.fail(new BodyRejected({ reason: "too_large" }))
const busy = Effect.fail(new BodyRejected({ reason: "busy" }))
const aborted = Effect.fail(new BodyRejected({ reason: "aborted" }))

class Account {
  private readonly chunks: Array<Buffer> = []
  private size = 0

  constructor(
    private readonly maxBytes: number,
    private readonly budget: BodyBudget,
  ) {}

  /** Null where there is room for the chunk. */
  add(chunk: Buffer): Effect.Effect<never, BodyRejected> | null {
    this.size += chunk.length
    this.budget.used += chunk.length
    if (this.size <= this.maxBytes && this.budget.used <= this.budget.max) {
      this.chunks.push(chunk)
      return null
    }
    this.chunks.length = 0
    const refused = this.size > this.maxBytes ? tooLarge : busy
    this.release()
    return refused
  }

  take(): Buffer {
    // Most bodies arrive in one piece.
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.size)
  }

  release(): void {
    this.budget.used -= this.size
    this.size = 0
  }
}
