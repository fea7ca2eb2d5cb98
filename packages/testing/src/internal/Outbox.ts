/** Group events that wait for their consumers. */
import type { ProjectId } from "@errata/core"
import { GroupEventDocument } from "@errata/core/internal"
import { alertsConsumer, GroupEventStore, webhooksConsumer } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { advance } from "../ContractCase.js"

export const lease = (
  limit = 1_000_000,
  duration: Duration.Input = "1 minute",
  consumer: string = webhooksConsumer,
) =>
  Effect.flatMap(GroupEventStore, (outbox) =>
    outbox.lease({ consumer, limit, duration: Duration.fromInputUnsafe(duration) }),
  )

/** Removes events left by other cases, leased or not. */
export const emptyOutbox = Effect.gen(function* () {
  const outbox = yield* GroupEventStore
  yield* advance("1 day")
  for (const consumer of [webhooksConsumer, alertsConsumer]) {
    let leased = yield* lease(1_000_000, "1 minute", consumer)
    while (leased.length > 0) {
      yield* outbox.settle(consumer, leased)
      leased = yield* lease(1_000_000, "1 minute", consumer)
    }
  }
})

/** Events of a project in the webhooks' outbox, oldest first. Leases nothing. */
export const outboxOf = (projectId: ProjectId) =>
  Effect.map(lease(1_000_000, 0), (events) => events.filter((event) => event.projectId === projectId))

/** The same with decoded documents. */
export const eventsIn = (projectId: ProjectId) =>
  Effect.flatMap(outboxOf(projectId), (events) =>
    Effect.forEach(events, ({ document, ...event }) =>
      Effect.map(GroupEventDocument.decode(document), (decoded) => ({
        ...event,
        ...decoded,
        name: event.event,
      })),
    ),
  )
