/** The outbox of group events: written in transactions, leased in the order of each group's changes. */
import { type Group, GroupEventName, type OutboxEventName, type ProjectId, type Target } from "@errata/core"
import {
  GroupEventStore,
  GroupStore,
  type NewGroupEvent,
  Storage,
  type TargetChanges,
  TargetStore,
  webhooksConsumer,
} from "@errata/core/ports"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { emptyOutbox, lease, outboxOf } from "./internal/Outbox.js"
import { idOf, passTime } from "./internal/Paging.js"

let made = 0
const event = (group: Group, overrides: Partial<NewGroupEvent> = {}): NewGroupEvent => ({
  projectId: group.projectId,
  groupId: group.id,
  event: "group.resolved",
  at: Factory.noon,
  document: `{"number":${++made}}`,
  ...overrides,
})

const append = (...events: ReadonlyArray<NewGroupEvent>) =>
  Effect.flatMap(GroupEventStore, (outbox) => outbox.append(events))

let consumers = 0
const consumer = () => `consumer ${++consumers}`

const subscribe = (
  name: string,
  projects: ReadonlyArray<ProjectId> | null,
  events: ReadonlyArray<OutboxEventName>,
) =>
  Effect.flatMap(GroupEventStore, (outbox) =>
    outbox.subscribe({ consumer: name, events, projects, duration: Duration.minutes(1) }),
  )

const leaseOf = (name: string) => lease(1_000_000, "1 minute", name)

const documents = (events: ReadonlyArray<{ readonly document: string }>) =>
  events.map(({ document }) => document)

/** An empty outbox, and two groups of a project whose webhook subscribes to all events. */
const given = Effect.gen(function* () {
  yield* emptyOutbox
  const { id } = yield* Given.project()
  const webhook = yield* Given.webhook(id, { events: [...GroupEventName.literals] })
  return { webhook, a: yield* Given.group(id), b: yield* Given.group(id) }
})

const change = ({ id, projectId }: Target, changes: TargetChanges) =>
  Effect.flatMap(TargetStore, (targets) => targets.update(projectId, id, changes, Factory.noon))

export const groupEventStoreSuite: ContractSuite = {
  name: "GroupEventStore",
  cases: [
    contractCase(
      "leases events unchanged and oldest first",
      Effect.gen(function* () {
        const { a, b } = yield* given
        const at = DateTime.add(Factory.noon, { milliseconds: 5 })
        const document = '{"text":"  \\"Seen\\"\\\\ on\\n{staging}, 昨日 🐛 NULL "}'
        const events = [event(b), event(a, { event: "group.muted", at, document }), event(b)]
        yield* append(...events)
        yield* append(event(a))
        yield* append()
        const [first, second] = [yield* lease(3), yield* lease(3)]
        expect(first).toEqual(events.map((event, i) => ({ ...event, id: first[i]!.id, attempts: 1 })))
        expect(second).toHaveLength(0)
        const ids = first.map(idOf)
        expect(ids).toEqual([...ids].sort((x, y) => x - y))
      }),
    ),

    contractCase(
      "stores events for rules for their subscribers, and not for webhooks",
      Effect.gen(function* () {
        const { a } = yield* given
        const name = consumer()
        yield* subscribe(name, null, ["group.noted", "group.escalated"])
        yield* Given.target(a.projectId)
        const events = [event(a, { event: "group.noted" }), event(a, { event: "group.escalated" })]
        yield* append(...events, event(a))
        expect(documents(yield* leaseOf(name))).toEqual(documents(events))
        expect((yield* lease()).map((leased) => leased.event)).toEqual(["group.resolved"])
        yield* (yield* GroupEventStore).unsubscribe(name)
      }),
    ),

    contractCase(
      "stores no event without an enabled webhook that subscribes to it",
      Effect.gen(function* () {
        const { a, webhook } = yield* given
        const { id: bare } = yield* Given.project()
        const stranger = yield* Given.group(bare)
        const muted = event(a, { event: "group.muted" })
        yield* append(event(a), event(stranger), muted)
        yield* change(webhook, { events: ["group.muted", "webhook.test"] })
        yield* append(event(a), { ...muted, document: "kept" })
        yield* change(webhook, { enabled: false })
        yield* append(event(a), muted)
        // Later webhooks receive no earlier events.
        yield* Given.webhook(bare, { events: ["group.resolved"] })
        const kept = yield* outboxOf(a.projectId)
        expect(kept.map(({ event }) => event)).toEqual(["group.resolved", "group.muted", "group.muted"])
        expect(kept.at(-1)?.document).toBe("kept")
        expect(yield* outboxOf(bare)).toEqual([])
        yield* append(event(stranger))
        expect(yield* outboxOf(bare)).toHaveLength(1)
      }),
    ),

    contractCase(
      "stores an event once for each subscribed consumer, however many nodes share it",
      Effect.gen(function* () {
        const { a } = yield* given
        const outbox = yield* GroupEventStore
        const other = yield* Given.group((yield* Given.project()).id)
        const [one, two, all] = [consumer(), consumer(), consumer()]
        yield* subscribe(one, [a.projectId], ["group.resolved"])
        yield* subscribe(two, [a.projectId, other.projectId], ["group.muted", "group.resolved"])
        yield* onSecondNode(subscribe(all, null, ["group.resolved"]))
        yield* subscribe(all, [a.projectId], ["group.resolved"])
        yield* append(
          event(a, { document: "1" }),
          event(other, { document: "2" }),
          event(a, { event: "group.muted", document: "3" }),
        )
        expect(documents(yield* leaseOf(one))).toEqual(["1"])
        const theirs = yield* onSecondNode(leaseOf(two))
        expect(documents(theirs)).toEqual(["1", "2", "3"])
        expect(documents(yield* leaseOf(all))).toEqual(["1", "2"])
        // The webhook subscribes to no event of the other project.
        expect(documents(yield* lease())).toEqual(["1", "3"])
        expect(yield* onSecondNode(leaseOf(one))).toEqual([])
        expect(yield* outbox.settle(two, theirs)).toBe(true)
        yield* advance("2 minutes")
        expect([(yield* leaseOf(one)).length, (yield* leaseOf(two)).length]).toEqual([1, 0])
        for (const name of [one, two, all]) yield* outbox.unsubscribe(name)
      }),
    ),

    contractCase(
      "stores nothing for a consumer before its subscription and after the end",
      Effect.gen(function* () {
        const { a } = yield* given
        const outbox = yield* GroupEventStore
        const [kept, left] = [consumer(), consumer()]
        yield* append(event(a))
        for (const name of [kept, left]) yield* subscribe(name, null, ["group.resolved"])
        yield* append(event(a, { document: "in time" }))
        yield* advance("45 seconds")
        yield* subscribe(kept, null, ["group.resolved"])
        yield* advance("45 seconds")
        yield* append(event(a, { document: "later" }))
        expect(documents(yield* leaseOf(kept))).toEqual(["in time", "later"])
        // Events without a consumer are removed, in steps.
        expect(yield* outbox.removeAbandoned(1)).toBe(1)
        expect(yield* outbox.removeAbandoned(10)).toBe(0)
        expect(yield* leaseOf(left)).toEqual([])
        yield* outbox.unsubscribe(kept)
        yield* outbox.unsubscribe(kept)
        yield* append(event(a))
        yield* advance("2 minutes")
        expect(yield* leaseOf(kept)).toEqual([])
        // Events of the webhook's consumer stay.
        expect(yield* outboxOf(a.projectId)).toHaveLength(4)
      }),
    ),

    contractCase(
      "stores an event for a consumer that subscribes in the same transaction",
      Effect.gen(function* () {
        const { a } = yield* given
        const { transaction } = yield* Storage
        const name = consumer()
        const both = Effect.andThen(subscribe(name, [a.projectId], ["group.resolved"]), append(event(a)))
        yield* Effect.exit(transaction(Effect.andThen(both, Effect.fail("intended"))))
        yield* append(event(a))
        expect(yield* leaseOf(name)).toEqual([])
        yield* transaction(both)
        expect(yield* leaseOf(name)).toHaveLength(1)
        yield* (yield* GroupEventStore).unsubscribe(name)
      }),
    ),

    contractCase(
      "leases a released event again, unless another caller has leased it since",
      Effect.gen(function* () {
        const { a } = yield* given
        const outbox = yield* GroupEventStore
        yield* append(event(a, { document: "1" }), event(a, { document: "2" }))
        const [first] = yield* lease(1)
        yield* outbox.release(webhooksConsumer, [first!])
        const again = yield* onSecondNode(lease())
        expect(again.map(({ attempts, document }) => [document, attempts])).toEqual([
          ["1", 2],
          ["2", 1],
        ])
        yield* outbox.release(webhooksConsumer, [first!])
        expect(yield* lease()).toEqual([])
        expect(yield* outbox.settle(webhooksConsumer, again)).toBe(true)
      }),
    ),

    contractCase(
      "stores nothing of a failed transaction, and shows nothing of an open one",
      Effect.gen(function* () {
        const { a } = yield* given
        const { transaction } = yield* Storage
        yield* Effect.exit(transaction(Effect.andThen(append(event(a)), Effect.fail("intended"))))
        const appended = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const open = yield* Effect.forkChild(
          transaction(
            append(event(a)).pipe(
              Effect.andThen(Deferred.succeed(appended, undefined)),
              Effect.andThen(Deferred.await(goOn)),
            ),
          ),
        )
        yield* Effect.raceFirst(Deferred.await(appended), Fiber.join(open))
        const meanwhile = yield* Effect.forkChild(onSecondNode(lease()))
        yield* Effect.yieldNow
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(open)
        // The second lease may have to wait for the first append, whose event it then gets.
        const taken = [...(yield* Fiber.join(meanwhile)), ...(yield* lease())]
        expect(taken).toHaveLength(1)
      }).pipe(onRealClock),
    ),

    contractCase(
      "leases an event to one caller until the lease expires",
      Effect.gen(function* () {
        const { a, b } = yield* given
        yield* append(event(a), event(b))
        const [held] = yield* lease(1)
        expect(held?.groupId).toBe(a.id)
        expect((yield* onSecondNode(lease())).map(({ groupId }) => groupId)).toEqual([b.id])
        // Half of the lease, since a database's clock advances by itself.
        yield* advance("30 seconds")
        expect(yield* onSecondNode(lease())).toEqual([])
        yield* advance("31 seconds")
        const again = yield* onSecondNode(lease())
        expect(again.map(({ attempts, groupId }) => [groupId, attempts])).toEqual([
          [a.id, 2],
          [b.id, 2],
        ])
      }),
    ),

    contractCase(
      "leases no later event of a group while another caller has an earlier one",
      Effect.gen(function* () {
        const { a, b } = yield* given
        const outbox = yield* GroupEventStore
        yield* append(event(a, { document: "1" }), event(a, { document: "2" }), event(b, { document: "3" }))
        const mine = yield* lease(1)
        expect(documents(mine)).toEqual(["1"])
        yield* append(event(a, { document: "4" }))
        // Not even with room for only one.
        expect(documents(yield* onSecondNode(lease(1, 0)))).toEqual(["3"])
        expect(documents(yield* onSecondNode(lease()))).toEqual(["3"])
        // Nor to the holder of the first one, which may lease on another fiber.
        expect(yield* lease()).toEqual([])
        expect(yield* outbox.settle(webhooksConsumer, mine)).toBe(true)
        const next = yield* onSecondNode(lease(1))
        expect(documents(next)).toEqual(["2"])
        expect(yield* lease()).toEqual([])
        // An expired lease releases the group, from its first event on.
        yield* advance("2 minutes")
        expect(documents(yield* lease())).toEqual(["2", "3", "4"])
      }),
    ),

    contractCase(
      "leases no later event of a group while a transaction leases or releases an earlier one",
      Effect.gen(function* () {
        const { a, b } = yield* given
        const { ping, transaction } = yield* Storage
        yield* append(event(a, { document: "1" }), event(a, { document: "2" }), event(b, { document: "3" }))
        const taken = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const open = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              expect(documents(yield* lease(1))).toEqual(["1"])
              yield* Deferred.succeed(taken, undefined)
              yield* Deferred.await(goOn)
              return yield* Effect.fail("intended")
            }),
          ),
        )
        yield* Effect.raceFirst(Deferred.await(taken), Fiber.join(open))
        const meanwhile = yield* Effect.forkChild(onSecondNode(lease()))
        yield* passTime(ping)
        yield* Deferred.succeed(goOn, undefined)
        yield* Effect.exit(Fiber.join(open))
        const other = documents(yield* Fiber.join(meanwhile))
        // Or all of them, if the second lease had to wait until the first was released.
        expect([["3"], ["1", "2", "3"]]).toContainEqual(other)
        const rest = documents(yield* lease())
        expect([...rest, ...other].sort()).toEqual(["1", "2", "3"])
      }).pipe(onRealClock),
    ),

    contractCase(
      "leases each event to one of several concurrent nodes, in the order of each group",
      Effect.gen(function* () {
        yield* emptyOutbox
        const outbox = yield* GroupEventStore
        const { id } = yield* Given.project()
        yield* Given.webhook(id, { events: ["group.resolved"] })
        const groups = yield* Effect.forEach(Array.from({ length: 6 }), () => Given.group(id))
        const perGroup = 8
        for (let i = 0; i < perGroup; i++) {
          yield* append(...groups.map((group) => event(group, { document: String(i) })))
        }
        const seen = new Map<number, Array<number>>(groups.map((group) => [group.id, []]))
        const total = groups.length * perGroup
        expect(yield* outboxOf(id)).toHaveLength(total)
        const count = () => [...seen.values()].reduce((sum, some) => sum + some.length, 0)
        const work = Effect.gen(function* () {
          const leased = yield* lease(5)
          for (const { document, groupId } of leased) seen.get(groupId)!.push(Number(document))
          // Held briefly, so that other nodes meet leased groups.
          yield* Effect.yieldNow
          expect(yield* outbox.settle(webhooksConsumer, leased)).toBe(true)
        }).pipe(Effect.repeat({ until: () => count() >= total }))
        yield* Effect.all([work, onSecondNode(work), work, onSecondNode(work)], { concurrency: "unbounded" })
        const inOrder = Array.from({ length: perGroup }, (_, i) => i)
        expect([...seen.values()]).toEqual(groups.map(() => inOrder))
      }).pipe(onRealClock),
    ),

    contractCase(
      "settles events, except those that another caller has leased since",
      Effect.gen(function* () {
        const { a, b } = yield* given
        const outbox = yield* GroupEventStore
        yield* append(event(a), event(b))
        const slow = yield* lease()
        yield* advance("2 minutes")
        const quick = yield* onSecondNode(lease())
        expect(yield* outbox.settle(webhooksConsumer, slow)).toBe(false)
        yield* advance("2 minutes")
        expect((yield* outboxOf(a.projectId)).map(idOf)).toEqual(quick.map(idOf))
        const last = yield* lease()
        expect(yield* outbox.settle(webhooksConsumer, last)).toBe(true)
        expect(yield* outbox.settle(webhooksConsumer, last)).toBe(false)
        expect(yield* outbox.settle(webhooksConsumer, [])).toBe(true)
        expect(yield* outboxOf(a.projectId)).toEqual([])
      }),
    ),

    contractCase(
      "keeps events that a failed transaction settled",
      Effect.gen(function* () {
        const { a } = yield* given
        const outbox = yield* GroupEventStore
        const { transaction } = yield* Storage
        yield* append(event(a))
        const leased = yield* lease()
        yield* Effect.exit(
          transaction(Effect.andThen(outbox.settle(webhooksConsumer, leased), Effect.fail("intended"))),
        )
        expect(yield* outbox.settle(webhooksConsumer, leased)).toBe(true)
      }),
    ),

    contractCase(
      "numbers a group's events in the order of its changes, across nodes",
      Effect.gen(function* () {
        const { a } = yield* given
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        const order: Array<string> = []
        const changeAs = (name: string) =>
          transaction(
            Effect.gen(function* () {
              yield* groups.lock(a.projectId, [a.id])
              order.push(name)
              yield* Effect.yieldNow
              yield* append(event(a, { document: name }))
            }),
          )
        yield* Effect.all(
          ["1", "2", "3", "4", "5", "6"].map((name, i) =>
            i % 2 === 0 ? changeAs(name) : onSecondNode(changeAs(name)),
          ),
          { concurrency: "unbounded" },
        )
        expect(documents(yield* lease())).toEqual(order)
      }).pipe(onRealClock),
    ),
  ],
}
