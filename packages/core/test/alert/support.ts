/** Projects with rules and targets, on the storage under test. */
import { type AlertRuleContent, firstRule, Notification, type ProjectId, WebAddress } from "@errata/core"
import {
  AlertStore,
  DeliveryStore,
  GroupEventStore,
  JobStore,
  type NewTarget,
  type NotificationTarget,
  NotificationTargets,
  TargetStore,
} from "@errata/core/ports"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as TestDecoder from "../../../testing/src/TestDecoder.js"
import * as AlertEvents from "../../src/alert/AlertEvents.js"

/** A kind of target that sends nothing. */
export const kindOf = (kind: string, secret = true): NotificationTarget => ({
  kind,
  label: kind,
  fields: [
    { name: "url", label: "URL", description: "", isSecret: secret, isRequired: true, placeholder: "" },
    { name: "to", label: "To", description: "", isSecret: false, isRequired: false, placeholder: "" },
  ],
  check: ({ url }) => (url === "wrong" ? { url: "is wrong" } : {}),
  send: () => Effect.succeed({ status: 200 }),
})

/** The kinds of the instance under test: a chat and mail. */
export const withKinds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.provideService(NotificationTargets, [kindOf("chat"), kindOf("mail", false)]),
    Effect.provideService(WebAddress, "https://errata.test"),
    Effect.provide(TestDecoder.layer),
  )

/** Stores a rule of a project, made from the default one. */
export const rule = (projectId: ProjectId, changes: Partial<AlertRuleContent> = {}) =>
  Effect.gen(function* () {
    const rules = yield* AlertStore
    return yield* Effect.fromOption(
      yield* rules.insert(projectId, { ...firstRule, ...changes }, yield* DateTime.now),
    )
  })

/** Stores a target of a project. */
export const target = (projectId: ProjectId, changes: Partial<NewTarget> = {}) =>
  Effect.gen(function* () {
    const targets = yield* TargetStore
    const given: NewTarget = {
      projectId,
      kind: "chat",
      name: "Chat",
      enabled: true,
      address: {},
      secret: null,
      quietHours: null,
      createdBy: null,
      ...changes,
    }
    return yield* Effect.fromOption(yield* targets.insert(given, 50, yield* DateTime.now))
  })

/**
 * Begins a case at the time of the storage. PostgreSQL keeps counts by the minute for two days by its own clock, and the clock of a
 * case starts years before.
 */
export const atStorageTime = Effect.gen(function* () {
  const { now } = yield* (yield* JobStore).list
  yield* TestClock.setTime(now.epochMilliseconds)
})

/** Has the outbox keep events for rules, and nothing of earlier cases. */
export const subscribed = Effect.gen(function* () {
  const outbox = yield* GroupEventStore
  yield* outbox.unsubscribe(AlertEvents.alertsConsumer)
  yield* AlertEvents.subscribe
})

/** Applies rules to all events that wait. */
export const evaluate = Effect.repeat(AlertEvents.evaluateSome, { while: (count) => count > 0 }).pipe(
  withKinds,
)

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Notification))

/** The notifications of a project, oldest first. */
export const notificationsOf = (projectId: ProjectId) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const filter = { targetId: null, ruleId: null, groupId: null, status: null }
    const { items } = yield* deliveries.notifications(projectId, filter, { limit: 100, cursor: null })
    return items.toReversed().map((delivery) => ({ delivery, content: decode(delivery.requestBody) }))
  })

/** Notifications in short: status, the reason to hold one back, and the reason to send it. */
export const summaries = (projectId: ProjectId) =>
  Effect.map(notificationsOf(projectId), (all) =>
    all.map(({ content, delivery }) =>
      [delivery.status, delivery.throttle, content.reason].filter((part) => part !== null).join(", "),
    ),
  )
