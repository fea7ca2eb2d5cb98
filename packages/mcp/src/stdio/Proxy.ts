/**
 * Sends what a client writes on to a server, each message as a request of its own, and writes what it answers. Nothing of
 * the tools is known here: they are those of the server, whichever its version.
 */
import { Effect, Exit, Fiber, Redacted, Stream } from "effect"
import * as Message from "./Message.js"

export interface Proxy<E> {
  /** The address of the server, without a slash at its end. */
  readonly url: string
  readonly apiKey: Redacted.Redacted
  /** What the client writes, in pieces of any size. */
  readonly input: Stream.Stream<Uint8Array, E>
  /** Writes a line, without its end. */
  readonly write: (line: string) => Effect.Effect<void, E>
}

/** Until the client has nothing more to say and everything is answered. */
export const serve = <E>({ apiKey, input, url, write }: Proxy<E>): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const underWay = new Map<string | number, Fiber.RuntimeFiber<void, E>>()
    let agreed: string | undefined

    const answer = (message: Message.Message) =>
      Effect.gen(function* () {
        const line = yield* ask(url, apiKey, message, agreed)
        if (line === null) return
        if (message.method === "initialize") agreed = Message.agreedRevision(line) ?? agreed
        yield* write(line)
      })

    const take = (line: string): Effect.Effect<void, E> => {
      if (line.trim() === "") return Effect.void
      const message = Message.parse(line)
      if (message === null)
        return write(Message.failureLine(null, "Parse error: the line is not valid JSON", -32_700))
      // Requests are apart from one another: whose answer nobody waits for any more, the server is not asked further.
      if (message.cancels !== undefined) {
        const fiber = underWay.get(message.cancels)
        return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.interruptFork(fiber))
      }
      const { id } = message
      return Effect.gen(function* () {
        const fiber = yield* Effect.fork(answer(message))
        if (id !== undefined) underWay.set(id, fiber)
        const exit = yield* Fiber.await(fiber)
        if (id !== undefined && underWay.get(id) === fiber) underWay.delete(id)
        if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) return yield* exit
      })
    }

    yield* input.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect(take, { concurrency: "unbounded", unordered: true }),
      Stream.runDrain,
      // What reads a pipe is let go of when there is something to read: who is told to end does not wait for that.
      Effect.disconnect,
    )
  })

// internal

/** The line to be written; null where there is nothing to say. */
const ask = (
  url: string,
  apiKey: Redacted.Redacted,
  message: Message.Message,
  agreed: string | undefined,
): Effect.Effect<string | null> => {
  const failed = (text: string) =>
    message.id === undefined ? null : Message.failureLine(message.id, `Errata: ${text}`)
  return Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          authorization: `Bearer ${Redacted.value(apiKey)}`,
          ...Message.headersOf(message, agreed),
        },
        body: message.json,
        // A redirect would carry the key to where nobody meant it to go.
        redirect: "manual",
        signal,
      })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => failed(`${url} cannot be reached (${reasonOf(cause)})`),
  }).pipe(
    Effect.map(({ status, text }) => {
      if (status === 202) return null
      const line = Message.answerLine(text)
      if (line !== null) return line
      switch (status) {
        case 401:
          return failed(`${url} does not accept the API key`)
        case 403:
          return failed("the API key does not allow this")
        case 404:
        case 405:
          return failed(`${url} has no /mcp; is the address right?`)
        default:
          return failed(`${url} answered ${status}`)
      }
    }),
    Effect.catchAll(Effect.succeed),
  )
}

/** What went wrong is in the cause of what `fetch` throws. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}
