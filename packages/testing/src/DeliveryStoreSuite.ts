import type { Delivery, DeliveryId, Target, TargetId } from "@errata/core"
import {
  type AttemptResult,
  type DeliveryFilter,
  DeliveryStore,
  Storage,
  TargetStore,
} from "@errata/core/ports"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { attempted, lease } from "./internal/Deliveries.js"
import { idOf, passTime, readPages } from "./internal/Paging.js"

const all = { limit: 100, cursor: null }
const any: DeliveryFilter = { event: null, success: null }

const newWebhook = Effect.flatMap(Given.project(), ({ id }) => Given.webhook(id))

const refind = ({ id, projectId, targetId }: Pick<Delivery, "id" | "projectId" | "targetId">) =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    Effect.flatMap(deliveries.find(projectId, targetId, id), Effect.fromOption),
  )

/** Leases all deliveries, settles this one, and returns its new state. */
const settle = Effect.fnUntraced(function* (delivery: Delivery, result: Partial<AttemptResult>) {
  const deliveries = yield* DeliveryStore
  const leased = (yield* lease({ duration: Duration.zero })).find(({ id }) => id === delivery.id)
  yield* deliveries.settle([{ delivery: leased!, result: attempted(result) }])
  return yield* refind(delivery)
})

const insert = (...to: ReadonlyArray<Pick<Target, "id" | "projectId">>) =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    deliveries.insert(
      to.map((webhook) => Factory.newDelivery(webhook)),
      Factory.noon,
    ),
  )

export const deliveryStoreSuite: ContractSuite = {
  name: "DeliveryStore",
  cases: [
    contractCase(
      "keeps a delivery as inserted, pending and due immediately",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const input = Factory.newDelivery(webhook, {
          event: "group.merged",
          requestBody: '{"event":"group.merged","text":"\\"{é\\\\,🐛 NULL"}',
        })
        const [id] = yield* deliveries.insert([input], Factory.noon)
        const found = yield* Effect.fromOption(yield* deliveries.find(webhook.projectId, webhook.id, id!))
        const { heldBack: _, ...kept } = input
        expect({ ...found }).toEqual({
          ...kept,
          id,
          status: "pending",
          throttle: null,
          attempts: 0,
          responseStatus: null,
          error: null,
          durationMs: null,
          nextAttemptAt: Factory.noon,
          createdAt: Factory.noon,
          completedAt: null,
        })
      }),
    ),

    contractCase(
      "returns ascending ids in the order of the input, and null for missing webhooks",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const targets = yield* TargetStore
        const [a, gone] = [yield* newWebhook, yield* newWebhook]
        const b = yield* Given.webhook(a.projectId)
        yield* targets.remove(gone.projectId, gone.id)
        const foreign = { id: b.id, projectId: gone.projectId }
        const ids = yield* insert(b, gone, a, foreign, b)
        expect(ids).toEqual([expect.any(Number), null, expect.any(Number), null, expect.any(Number)])
        const inserted = ids.filter((id) => id !== null)
        expect(inserted.toSorted((x, y) => x - y)).toEqual(inserted)
        const listed = yield* deliveries.list(b.projectId, b.id, any, all)
        expect(listed.items.map(idOf)).toEqual([ids[4], ids[0]])
        expect(yield* insert()).toEqual([])
      }),
    ),

    contractCase(
      "skips deliveries to a webhook that another transaction is removing",
      Effect.gen(function* () {
        const storage = yield* Storage
        const targets = yield* TargetStore
        const [gone, kept] = [yield* newWebhook, yield* newWebhook]
        const removed = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const remover = yield* Effect.forkChild(
          storage.transaction(
            Effect.gen(function* () {
              yield* targets.remove(gone.projectId, gone.id)
              yield* Deferred.succeed(removed, undefined)
              yield* Deferred.await(end)
            }),
          ),
        )
        yield* Deferred.await(removed)
        const inserter = yield* Effect.forkChild(onSecondNode(insert(gone, kept)))
        yield* passTime(storage.ping)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(remover)
        expect(yield* Fiber.join(inserter)).toEqual([null, expect.any(Number)])
      }),
    ),

    contractCase(
      "keeps no deliveries of a webhook that is removed during inserts",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        for (let i = 0; i < 10; i++) {
          const webhook = yield* newWebhook
          const remove = Effect.flatMap(TargetStore, ({ remove }) => remove(webhook.projectId, webhook.id))
          yield* Effect.all([insert(webhook), onSecondNode(insert(webhook)), onSecondNode(remove)], {
            concurrency: "unbounded",
          })
          const left = yield* deliveries.list(webhook.projectId, webhook.id, any, all)
          expect(left.items).toEqual([])
        }
      }),
    ),

    contractCase(
      "finds a delivery by its project and its webhook only",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const sibling = yield* Given.webhook(webhook.projectId)
        const foreign = yield* newWebhook
        const { id } = yield* Given.delivery(webhook)
        for (const [projectId, targetId, deliveryId] of [
          [foreign.projectId, webhook.id, id],
          [webhook.projectId, sibling.id, id],
          [webhook.projectId, webhook.id, (id + 1_000_000) as DeliveryId],
        ] as const) {
          expect(yield* deliveries.find(projectId, targetId, deliveryId)).toEqual(Option.none())
        }
        const listed = yield* deliveries.list(foreign.projectId, webhook.id, any, all)
        expect(listed.items).toEqual([])
      }),
    ),

    contractCase(
      "lists the deliveries of a webhook newest first, page by page, during inserts",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const other = yield* Given.webhook(webhook.projectId)
        const ids: Array<DeliveryId> = []
        for (let i = 0; i < 5; i++) {
          ids.push((yield* Given.delivery(webhook)).id)
          yield* Given.delivery(other)
        }
        const [a, b, c, d, e] = ids
        const pages = yield* readPages(
          2,
          (page) => deliveries.list(webhook.projectId, webhook.id, any, page),
          Given.delivery(webhook),
        )
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "filters a list by event and success, with full pages",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const taken = { status: "succeeded" } as const
        const failed = { status: "failed" } as const
        const given = (event: Delivery["event"], result: Partial<AttemptResult> | null) =>
          Effect.flatMap(Given.delivery(webhook, { event }), (delivery) =>
            result === null ? Effect.succeed(delivery) : settle(delivery, result),
          )
        const a = yield* given("group.created", taken)
        const b = yield* given("group.resolved", taken)
        const c = yield* given("group.created", failed)
        const d = yield* given("group.created", null)
        const e = yield* given("group.resolved", failed)
        const list = (filter: Partial<DeliveryFilter>) =>
          Effect.map(
            readPages(1, (page) =>
              deliveries.list(webhook.projectId, webhook.id, { ...any, ...filter }, page),
            ),
            (pages) => pages.flat().map(idOf),
          )
        expect(yield* list({})).toEqual([e.id, d.id, c.id, b.id, a.id])
        expect(yield* list({ event: "group.created" })).toEqual([d.id, c.id, a.id])
        expect(yield* list({ event: "group.muted" })).toEqual([])
        expect(yield* list({ success: true })).toEqual([b.id, a.id])
        expect(yield* list({ success: false })).toEqual([e.id, d.id, c.id])
        expect(yield* list({ event: "group.created", success: false })).toEqual([d.id, c.id])
        expect(yield* list({ event: "group.resolved", success: true })).toEqual([b.id])
      }),
    ),

    contractCase(
      "removes a webhook's deliveries in batches",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* newWebhook
        const other = yield* Given.webhook(webhook.projectId)
        yield* insert(webhook, webhook, other, webhook)
        const removeSome = (targetId: TargetId, limit: number) =>
          deliveries.removeSome(webhook.projectId, targetId, limit)
        expect(yield* removeSome(webhook.id, 2)).toBe(2)
        const left = yield* deliveries.list(webhook.projectId, webhook.id, any, all)
        expect(left.items).toHaveLength(1)
        expect(yield* removeSome(webhook.id, 2)).toBe(1)
        expect(yield* removeSome(webhook.id, 2)).toBe(0)
        const kept = yield* deliveries.list(webhook.projectId, other.id, any, all)
        expect(kept.items).toHaveLength(1)
      }),
    ),
  ],
}
