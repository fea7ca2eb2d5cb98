/** Events of groups that leave the outbox with the writes that follow from them. */
import { Data, Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Transactions from "../storage/Transactions.js"
import * as GroupEventDocument from "./GroupEventDocument.js"
import { GroupEventStore, type LeasedGroupEvent } from "./GroupEventStore.js"

/**
 * Takes events of a consumer that wait, once; answers how many. `prepare` reads, and `write` runs in the transaction that removes
 * the events from the outbox. So a node that is killed in between leaves them to another, and nothing is written twice for an event.
 */
export const consumeSome = <A, E, R, E2, R2>(
  consumer: string,
  prepare: (events: ReadonlyArray<LeasedGroupEvent>) => Effect.Effect<A, E, R>,
  write: (prepared: A) => Effect.Effect<unknown, E2, R2>,
) =>
  Effect.gen(function* () {
    const { webhooks: settings } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const outbox = yield* GroupEventStore
    const events = yield* outbox.lease({ consumer, limit: batchSize, duration: settings.leaseDuration })
    if (events.length === 0) return 0
    const prepared = yield* prepare(events)
    yield* transaction(
      Effect.gen(function* () {
        yield* write(prepared)
        if (!(yield* outbox.settle(consumer, events))) return yield* new LeaseLost()
      }),
    ).pipe(
      // Another node has them, and writes the same.
      Effect.catchIf(
        (error): error is LeaseLost => error instanceof LeaseLost,
        () => Effect.void,
      ),
    )
    return events.length
  }).pipe(Effect.uninterruptible)

/**
 * The document of an event; none if it cannot be read. Such an event must not delay others. The log does not contain the document,
 * because it may contain secrets.
 */
export const documentOf = ({ document, event, id }: LeasedGroupEvent) =>
  Effect.option(
    Effect.tapError(GroupEventDocument.decode(document), () =>
      Effect.annotateLogs(Effect.logError("A group event cannot be read and is not sent"), { event, id }),
    ),
  )

// internal

/** Few enough for a transaction of some ten milliseconds, with a handful of deliveries for each. */
const batchSize = 200

class LeaseLost extends Data.TaggedError("LeaseLost") {}
