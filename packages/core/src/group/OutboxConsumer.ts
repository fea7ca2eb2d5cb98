/** Processes outbox events together with the writes that result from them. */
import { Data, Duration, Effect } from "effect"
import * as Transactions from "../storage/Transactions.js"
import * as GroupEventDocument from "./GroupEventDocument.js"
import { GroupEventStore, type LeasedGroupEvent } from "./GroupEventStore.js"

/**
 * Leases and processes a batch of a consumer's events, and returns its size. `prepare` reads; `write` runs in the
 * transaction that removes the events, so a killed node leaves them to another and nothing is written twice.
 */
export const consumeSome = <A, E, R, E2, R2>(
  consumer: string,
  prepare: (events: ReadonlyArray<LeasedGroupEvent>) => Effect.Effect<A, E, R>,
  write: (prepared: A) => Effect.Effect<unknown, E2, R2>,
) =>
  Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const outbox = yield* GroupEventStore
    const events = yield* outbox.lease({ consumer, limit: batchSize, duration: leaseDuration })
    if (events.length === 0) return 0
    const prepared = yield* prepare(events)
    yield* transaction(
      Effect.gen(function* () {
        yield* write(prepared)
        if (!(yield* outbox.settle(consumer, events))) return yield* new LeaseLost()
      }),
    ).pipe(
      // Another node has leased the events and writes the same.
      Effect.catchIf(
        (error): error is LeaseLost => error instanceof LeaseLost,
        () => Effect.void,
      ),
    )
    return events.length
  }).pipe(Effect.uninterruptible)

/**
 * Decodes the document of an event; none if it is invalid. Such an event must not delay others. Documents are not
 * logged, because they may contain secrets.
 */
export const documentOf = ({ document, event, id }: LeasedGroupEvent) =>
  Effect.option(
    Effect.tapError(GroupEventDocument.decode(document), () =>
      Effect.annotateLogs(Effect.logError("A group event cannot be read and is not sent"), { event, id }),
    ),
  )

// internal

/** Keeps the transaction at some ten milliseconds, with a few deliveries per event. */
const batchSize = 200

/** After a node is killed, its events wait this long for another node. */
const leaseDuration = Duration.seconds(15)

class LeaseLost extends Data.TaggedError("LeaseLost") {}
