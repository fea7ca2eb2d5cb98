/** Consumes job failures from a NATS JetStream stream. */
import { ingestTransport, type ProjectId } from "@errata/core"
import { type JsMsg, jetstream } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect, Schema, Stream } from "effect"

const concurrency = 64

const Text = Schema.String.check(Schema.isMaxLength(8_192))
const read = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ job: Text, host: Text, error: Text })),
)

/** NATS redelivers messages that are not acknowledged, or that are rejected with a delay (nak). */
export const failures = ingestTransport({
  kind: "nats-failure",
  decode: (body) => {
    const { error, host, job } = read(new TextDecoder().decode(body))
    return {
      serverName: host,
      transaction: job,
      exceptions: [{ type: "JobFailure", value: error, frames: [] }],
    }
  },
  reply: (outcome) => (message: JsMsg) => {
    if (outcome._tag === "Accepted") message.ack()
    else if (outcome._tag === "Later") message.nak(outcome.retryAfterSeconds * 1_000)
    else message.term(outcome.reason)
  },
})

/** Consumes until its fiber is interrupted. `Errata.layer({ transports: [failures] })` records the messages. */
export const consume = (
  project: ProjectId,
  { consumer, servers, stream }: { readonly [Name in "servers" | "stream" | "consumer"]: string },
) =>
  Effect.gen(function* () {
    const connection = yield* Effect.acquireRelease(
      Effect.tryPromise(() => connect({ servers })),
      (connection) => Effect.promise(() => connection.drain()),
    )
    const messages = yield* Effect.tryPromise(async () => {
      const durable = await jetstream(connection).consumers.get(stream, consumer)
      return durable.consume({ max_messages: concurrency })
    })
    // Messages that are accepted concurrently share one database write.
    yield* Stream.fromAsyncIterable(messages, (cause) => cause).pipe(
      Stream.mapEffect(
        (message) =>
          Effect.map(
            failures.accept({ project, id: `${stream}:${message.seq}`, body: message.data }),
            (settle) => settle(message),
          ),
        { concurrency },
      ),
      Stream.runDrain,
    )
  }).pipe(Effect.scoped)
