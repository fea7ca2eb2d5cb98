/**
 * Forwards each message of a client to a server as a request, and writes the responses. It knows no tools, so it works with
 * servers of other versions.
 */
import { Waiting } from "@errata/core/internal"
import { Effect, Exit, Fiber, Redacted, Stream } from "effect"
import * as Message from "./Message.js"

/** The connections of a proxy between standard input and a server. */
export interface Proxy<E> {
  /** The address of the server, without a trailing slash. */
  readonly url: string
  readonly apiKey: Redacted.Redacted
  /** Output of the client, in chunks of any size. */
  readonly input: Stream.Stream<Uint8Array, E>
  /** Writes a line and its end. */
  readonly write: (line: string) => Effect.Effect<void, E>
}

/** Forwards messages until the client closes its output and every request has a response. */
export const serve = <E>({ apiKey, input, url, write }: Proxy<E>): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const underWay = new Map<string | number, Fiber.Fiber<void, E>>()
    let agreed: string | undefined

    const answer = Effect.fnUntraced(function* (message: Message.Message) {
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
      // Each message is a separate request. A cancellation aborts it, so that the server stops working on it.
      if (message.cancels !== undefined) {
        const fiber = underWay.get(message.cancels)
        return fiber === undefined ? Effect.void : Effect.sync(() => fiber.interruptUnsafe())
      }
      const { id } = message
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(answer(message))
        if (id !== undefined) underWay.set(id, fiber)
        const exit = yield* Fiber.await(fiber)
        if (id !== undefined && underWay.get(id) === fiber) underWay.delete(id)
        if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) return yield* exit
      })
    }

    yield* input.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect(take, { concurrency: "unbounded", unordered: true }),
      Stream.runDrain,
      // A pending read of a pipe cannot be interrupted, so an interruption must not wait for it.
      Waiting.disconnect,
    )
  })

// internal

/** The line to write; null for none. */
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
        // Following a redirect would send the key to another address.
        redirect: "manual",
        signal,
      })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) =>
      failed(`cannot reach ${url}: ${reasonOf(cause)}. Check that the server runs, and ERRATA_URL.`),
  }).pipe(
    Effect.map(({ status, text }) => {
      if (status === 202) return null
      const line = Message.answerLine(text)
      if (line !== null) return line
      switch (status) {
        case 401:
          return failed(`${url} rejected the API key. Check ERRATA_API_KEY, or run errata login.`)
        case 403:
          return failed(`${url} refused the request: forbidden`)
        case 404:
        case 405:
          return failed(`${url} has no /mcp endpoint. Check ERRATA_URL.`)
        default:
          return failed(`${url} returned status ${status}`)
      }
    }),
    Effect.catch(Effect.succeed),
  )
}

/** The message of the cause, which says more than the error that `fetch` throws. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}
