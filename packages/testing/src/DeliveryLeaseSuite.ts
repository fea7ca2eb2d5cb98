/** Leases of deliveries, by which dispatchers decide what to send and when. */
import { type Delivery, GroupId, type Target } from "@errata/core"
import { DeliveryStore, type LeasedDelivery, ProjectStore, TargetStore } from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { attempted, emptyDeliveries, lease } from "./internal/Deliveries.js"
import { idOf } from "./internal/Paging.js"

const newWebhook = Effect.andThen(
  emptyDeliveries,
  Effect.flatMap(Given.project(), ({ id }) => Given.webhook(id)),
)

const refind = ({ id, projectId, targetId }: Pick<Delivery, "id" | "projectId" | "targetId">) =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    Effect.flatMap(deliveries.find(projectId, targetId, id), Effect.fromOption),
  )

const settle = (delivery: LeasedDelivery, result: Parameters<typeof attempted>[0] = {}) =>
  Effect.flatMap(DeliveryStore, (deliveries) => deliveries.settle([{ delivery, result: attempted(result) }]))

/** A failed attempt that is retried after this pause. */
const again = (pause: Duration.Input) =>
  ({
    status: "pending",
    responseStatus: 503,
    error: "it answered 503",
    pause: Duration.fromInputUnsafe(pause),
  }) as const

const idsOf = (deliveries: ReadonlyArray<{ readonly id: number }>) =>
  deliveries.map(idOf).toSorted((a, b) => a - b)

export const deliveryLeaseSuite: ContractSuite = {
  name: "DeliveryStore: leases",
  cases: [
    contractCase(
      "give a delivery to one caller until they expire",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const { id } = yield* Given.delivery(webhook)
        const [mine] = yield* lease()
        expect([mine?.id, mine?.leases, mine?.attempts]).toEqual([id, 1, 0])
        expect(yield* onSecondNode(lease())).toEqual([])
        // Half of the lease, since a database's clock advances by itself.
        yield* advance("30 seconds")
        expect(yield* onSecondNode(lease())).toEqual([])
        yield* advance("31 seconds")
        const [theirs] = yield* onSecondNode(lease())
        expect([theirs?.id, theirs?.leases, theirs?.attempts]).toEqual([id, 2, 0])
      }),
    ),

    contractCase(
      "contain the data for sending, with the current settings of the webhook",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const { id, projectId, secret } = yield* newWebhook
        const input = Factory.newDelivery(
          { id, projectId },
          { requestBody: '{"é":"\\"\\\\"}', groupId: GroupId.make(77) },
        )
        const deliveries = yield* DeliveryStore
        const [deliveryId] = yield* deliveries.insert([input], Factory.noon)
        yield* targets.update(projectId, id, { url: "https://other.test/", enabled: false }, Factory.noon)
        const { heldBack, ruleId, ...sent } = input
        expect(yield* lease()).toEqual([
          {
            ...sent,
            id: deliveryId,
            attempts: 0,
            leases: 1,
            kind: "webhook",
            url: "https://other.test/",
            address: {},
            enabled: false,
            isFailing: false,
            secret,
          },
        ])
      }),
    ),

    contractCase(
      "let only their holder store the result of an attempt",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const delivery = yield* Given.delivery(webhook)
        const other = yield* Given.delivery(webhook)
        const [slow] = (yield* lease()).filter(({ id }) => id === delivery.id)
        yield* advance("2 minutes")
        const [quick] = (yield* lease()).filter(({ id }) => id === delivery.id)
        yield* settle(slow!, { status: "failed", responseStatus: 404, error: "it answered 404" })
        expect(yield* refind(delivery)).toEqual(delivery)
        yield* settle(quick!)
        const taken = yield* refind(delivery)
        expect(taken).toMatchObject({
          status: "succeeded",
          attempts: 1,
          responseStatus: 204,
          error: null,
          durationMs: 7,
          nextAttemptAt: null,
          completedAt: expect.anything(),
        })
        // Neither twice, nor after completion.
        yield* settle(quick!, { status: "failed" })
        expect(yield* refind(delivery)).toEqual(taken)
        expect(yield* refind(other)).toEqual(other)
      }),
    ),

    contractCase(
      "return retries when they are due, until given up",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const delivery = yield* Given.delivery(webhook)
        const [first] = yield* lease()
        yield* settle(first!, again("60 seconds"))
        const waiting = yield* refind(delivery)
        expect(waiting).toMatchObject({
          status: "pending",
          attempts: 1,
          responseStatus: 503,
          error: "it answered 503",
          completedAt: null,
        })
        expect(waiting.nextAttemptAt).not.toBeNull()
        yield* advance("30 seconds")
        expect(yield* lease()).toEqual([])
        yield* advance("31 seconds")
        const [second] = yield* lease()
        expect([second?.id, second?.attempts, second?.leases]).toEqual([delivery.id, 1, 2])
        yield* settle(second!, { status: "failed", responseStatus: null, error: "nobody there" })
        expect(yield* refind(delivery)).toMatchObject({
          status: "failed",
          attempts: 2,
          responseStatus: null,
          error: "nobody there",
          nextAttemptAt: null,
          completedAt: expect.anything(),
        })
        yield* advance("1 day")
        expect(yield* lease()).toEqual([])
      }),
    ),

    contractCase(
      "can be released only by their holder, without counting an attempt",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const delivery = yield* Given.delivery(webhook)
        const mine = yield* lease()
        yield* deliveries.release(mine)
        const theirs = yield* onSecondNode(lease())
        expect([theirs[0]?.id, theirs[0]?.attempts]).toEqual([delivery.id, 0])
        yield* deliveries.release(mine)
        expect(yield* lease()).toEqual([])
        yield* deliveries.release([])
        yield* deliveries.settle([])
        expect(yield* refind(delivery)).toEqual(delivery)
      }),
    ),

    contractCase(
      "give a webhook the deliveries of a group in order, until each was tried once",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const sibling = yield* Given.webhook(webhook.projectId)
        const [groupA, groupB] = [GroupId.make(1), GroupId.make(2)]
        const given = (to: Target, groupId: GroupId) => Given.delivery(to, { groupId })
        const a1 = yield* given(webhook, groupA)
        const a2 = yield* given(webhook, groupA)
        const a3 = yield* given(webhook, groupA)
        const b1 = yield* given(webhook, groupB)
        const s1 = yield* given(sibling, groupA)
        const s2 = yield* given(sibling, groupA)
        const first = yield* lease()
        expect(idsOf(first)).toEqual(idsOf([a1, b1, s1]))
        expect(yield* onSecondNode(lease())).toEqual([])
        const of = (delivery: Delivery) => first.find(({ id }) => id === delivery.id)!
        // After its first attempt, even a failed one, a delivery no longer holds back the next ones.
        yield* settle(of(a1), again("1 hour"))
        yield* settle(of(s1))
        expect(idsOf(yield* onSecondNode(lease()))).toEqual(idsOf([a2, s2]))
        expect(yield* lease()).toEqual([])
        // A delivery whose lease expired comes before those behind it.
        yield* advance("2 minutes")
        expect(idsOf(yield* lease())).toEqual(idsOf([a2, b1, s2]))
        expect(yield* lease()).toEqual([])
        const last = yield* Effect.andThen(advance("2 hours"), lease())
        expect(idsOf(last)).toEqual(idsOf([a1, a2, b1, s2]))
        expect(idsOf(last)).not.toContain(a3.id)
      }),
    ),

    contractCase(
      "are shared fairly between webhooks, up to the limit of each",
      Effect.gen(function* () {
        const busy = yield* newWebhook
        const rare = yield* Given.webhook(busy.projectId)
        const elsewhere = yield* Effect.flatMap(Given.project(), ({ id }) => Given.webhook(id))
        for (let i = 0; i < 6; i++) yield* Given.delivery(busy)
        const rareIds = [yield* Given.delivery(rare), yield* Given.delivery(rare)].map(idOf)
        const elsewhereId = (yield* Given.delivery(elsewhere)).id
        const first = yield* lease({ limit: 3 })
        expect(first.map(({ targetId }) => targetId).toSorted((a, b) => a - b)).toEqual([
          busy.id,
          rare.id,
          elsewhere.id,
        ])
        expect(idsOf(first)).toEqual(expect.arrayContaining([rareIds[0], elsewhereId]))
        const exceptions = [
          { targetId: rare.id, limit: 0 },
          { targetId: elsewhere.id, limit: 5 },
        ]
        const second = yield* lease({ perTarget: 2, exceptions })
        expect(second.map(({ targetId }) => targetId)).toEqual([busy.id, busy.id])
        const third = yield* lease({
          perTarget: 1,
          exceptions: [{ targetId: busy.id, limit: 10 }],
        })
        expect(idsOf(third.filter(({ targetId }) => targetId === rare.id))).toEqual([rareIds[1]])
        expect(third).toHaveLength(4)
        expect(yield* lease()).toEqual([])
      }),
    ),

    contractCase(
      "return requested deliveries first, then those due the longest",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const [one, two] = [yield* Given.delivery(webhook), yield* Given.delivery(webhook)]
        const [tried] = yield* lease({ limit: 1 })
        expect(tried?.id).toBe(one.id)
        yield* settle(tried!, again("1 minute"))
        const asked = yield* Given.delivery(webhook, { groupId: null, event: "webhook.test" })
        const askedToo = yield* Given.delivery(webhook, { groupId: null, resendOf: one.id })
        yield* advance("2 minutes")
        const three = yield* Given.delivery(webhook)
        const order: Array<number> = []
        for (let i = 0; i < 5; i++) order.push(...(yield* lease({ limit: 1 })).map(idOf))
        expect(order).toEqual([asked, askedToo, two, one, three].map(idOf))
        expect((yield* refind(askedToo)).resendOf).toBe(one.id)
      }),
    ),

    contractCase(
      "give no deliveries of deleted projects and removed webhooks",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const targets = yield* TargetStore
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const foreign = yield* Effect.flatMap(Given.project(), ({ id }) => Given.webhook(id))
        const delivery = yield* Given.delivery(webhook)
        yield* Given.delivery(foreign)
        const leased = yield* lease()
        yield* targets.remove(foreign.projectId, foreign.id)
        yield* projects.remove(webhook.projectId, yield* DateTime.now)
        // Holders of the leases are not affected.
        yield* deliveries.settle(
          leased.map((one) => ({ delivery: one, result: attempted(again("1 second")) })),
        )
        yield* advance("1 minute")
        expect(yield* lease()).toEqual([])
        expect(delivery.status).toBe("pending")
      }),
    ),

    contractCase(
      "give each delivery to one of several concurrent nodes, in the order of each group",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const sibling = yield* Given.webhook(webhook.projectId)
        const groups = [1, 2, 3, 4, 5].map((id) => GroupId.make(id))
        const deliveries = yield* DeliveryStore
        const perGroup = 6
        for (let i = 0; i < perGroup; i++) {
          yield* deliveries.insert(
            [webhook, sibling].flatMap((to) =>
              groups.map((groupId) => Factory.newDelivery(to, { groupId, requestBody: String(i) })),
            ),
            Factory.noon,
          )
        }
        const seen = new Map<string, Array<number>>()
        const total = 2 * groups.length * perGroup
        let count = 0
        const work = Effect.gen(function* () {
          const leased = yield* lease({ limit: 4, perTarget: 3 })
          for (const { groupId, requestBody, targetId } of leased) {
            const key = `${targetId} ${groupId}`
            seen.set(key, [...(seen.get(key) ?? []), Number(requestBody)])
          }
          // Held briefly, so that other nodes meet leased groups.
          yield* Effect.yieldNow
          yield* Effect.forEach(leased, (delivery) => settle(delivery), { discard: true })
          count += leased.length
        }).pipe(Effect.repeat({ until: () => count >= total }))
        yield* Effect.all([work, onSecondNode(work), work, onSecondNode(work)], { concurrency: "unbounded" })
        expect(count).toBe(total)
        const inOrder = Array.from({ length: perGroup }, (_, i) => i)
        expect([...seen.values()]).toEqual(Array.from({ length: 2 * groups.length }, () => inOrder))
      }).pipe(onRealClock),
    ),

    contractCase(
      "end for old finished deliveries, which are deleted in batches",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        yield* deliveries.forget(Duration.zero, 1_000_000)
        const done = yield* Effect.replicateEffect(Given.delivery(webhook), 3)
        for (const [i, delivery] of (yield* lease()).entries()) {
          yield* settle(delivery, i === 1 ? { status: "failed" } : {})
        }
        const pending = yield* Given.delivery(webhook)
        const age = Duration.days(30)
        yield* advance("29 days")
        expect(yield* deliveries.forget(age, 1000)).toBe(0)
        const [late] = yield* lease({ duration: Duration.days(60) })
        expect(late?.id).toBe(pending.id)
        yield* advance("2 days")
        expect(yield* deliveries.forget(age, 2)).toBe(2)
        expect(yield* deliveries.forget(age, 2)).toBe(1)
        for (const { id } of done) {
          expect(yield* deliveries.find(webhook.projectId, webhook.id, id)).toEqual(Option.none())
        }
        expect((yield* refind(pending)).status).toBe("pending")
      }),
    ),
  ],
}
