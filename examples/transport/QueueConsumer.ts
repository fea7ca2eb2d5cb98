/** Takes messages from a queue and hands them to Errata's intake. */
import { createHash } from "node:crypto"
import { Intake, type ProjectId } from "@errata/core"
import { Clock, Duration, Effect, Schedule, Stream } from "effect"
import { kind } from "./JobFailure.js"

/** A message as clients of AMQP, SQS or NATS give it. */
export interface Message {
  readonly id: string
  readonly body: Uint8Array
  /** Tells the queue that the message is done with. Without it the queue delivers it again. */
  readonly acknowledge: Effect.Effect<void>
}

/** A queue may deliver a message twice. The same id makes it the same event, which is recorded once. */
const eventIdOf = ({ id }: Message): string => createHash("sha256").update(id).digest("hex").slice(0, 32)

/**
 * Consumes until the stream of messages ends. A message is acknowledged when it is durable and not before: what is killed
 * in between comes again. While the intake says no, it waits, and the queue keeps the rest.
 */
export const consume = <E, R>(projectId: ProjectId, messages: Stream.Stream<Message, E, R>) =>
  Effect.gen(function* () {
    const intake = yield* Intake
    const accept = Effect.fn("QueueConsumer.accept")(function* (message: Message) {
      const receivedAt = yield* Clock.currentTimeMillis
      yield* intake
        .accept([{ projectId, eventId: eventIdOf(message), kind, receivedAt, body: message.body }])
        .pipe(
          Effect.tapError(({ _tag }) => Effect.logWarning(`Errata does not take errors now: ${_tag}`)),
          Effect.retry(pauses),
        )
      yield* message.acknowledge
    })
    // Messages that are accepted at the same time share one write to the database.
    yield* Stream.runForEach(Stream.mapEffect(messages, accept, { concurrency: 64 }), () => Effect.void)
  })

// internal

const pauses = Schedule.exponential("1 second").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(30)))),
)
