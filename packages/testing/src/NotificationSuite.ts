/** Deliveries to targets other than webhooks: a project's list of them, and notifications that were held back. */
import { GroupId, type Target, type TargetId, type Throttle, type UserId } from "@errata/core"
import { DeliveryStore, type NewDelivery, type NotificationFilter } from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { attempted, emptyDeliveries, lease } from "./internal/Deliveries.js"
import { idOf, readPages } from "./internal/Paging.js"

const { noon } = Factory
const hours = (count: number) => DateTime.add(noon, { hours: count })
const all = { limit: 100, cursor: null }
const any: NotificationFilter = { targetId: null, ruleId: null, groupId: null, status: null }

const newTarget = Effect.flatMap(Given.project(), ({ id }) => Given.target(id))

const heldBack = (throttle: Throttle): Pick<NewDelivery, "heldBack"> => ({
  heldBack: { throttle, reason: `held back: ${throttle}` },
})

const alert = (overrides: Partial<NewDelivery> = {}): Partial<NewDelivery> => ({
  event: "notification.alert",
  ...overrides,
})

const insert = (
  target: Pick<Target, "id" | "projectId">,
  overrides: Partial<NewDelivery>,
  now: DateTime.Utc = noon,
) =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    deliveries.insert([Factory.newDelivery(target, overrides)], now),
  )

const forget = Effect.flatMap(DeliveryStore, (deliveries) =>
  Effect.repeat(deliveries.forget(Duration.days(1), 100), { while: (count) => count > 0 }),
)

export const notificationSuite: ContractSuite = {
  name: "DeliveryStore: notifications",
  cases: [
    contractCase(
      "stores the recipient and the rule of a notification",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyDeliveries
        const target = yield* newTarget
        const { id: userId } = yield* Given.user()
        const input = { ruleId: 7, userId, recipient: '"a, b"@example.test', groupId: GroupId.make(5) }
        const { id } = yield* Given.delivery(target, alert(input))
        const expected = { ...input, event: "notification.alert", status: "pending", throttle: null }
        const found = yield* Effect.fromOption(yield* deliveries.find(target.projectId, target.id, id))
        expect(found).toMatchObject(expected)
        const [leased] = yield* lease()
        const { ruleId, ...sent } = input
        expect(leased).toEqual({
          ...sent,
          id,
          projectId: target.projectId,
          targetId: target.id,
          event: "notification.alert",
          resendOf: null,
          requestBody: found.requestBody,
          attempts: 0,
          leases: 1,
          kind: target.kind,
          url: null,
          address: target.address,
          enabled: true,
          isFailing: false,
          secret: target.secret,
        })
      }),
    ),

    contractCase(
      "keeps throttled notifications in the history, and never sends them",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyDeliveries
        const target = yield* newTarget
        const groupId = GroupId.make(5)
        const before = yield* Given.delivery(target, alert({ groupId, ...heldBack("repeat") }))
        for (const throttle of ["repeat", "limit", "quiet_hours"] as const) {
          const held = yield* Given.delivery(target, alert({ groupId: null, ...heldBack(throttle) }))
          expect(held).toMatchObject({
            status: "throttled",
            throttle,
            error: `held back: ${throttle}`,
            attempts: 0,
            responseStatus: null,
            durationMs: null,
            nextAttemptAt: null,
          })
          expect(held.completedAt).not.toBe(null)
        }
        expect(yield* lease()).toEqual([])
        yield* advance("1 hour")
        expect(yield* lease()).toEqual([])
        // It does not hold back others, either.
        const { id } = yield* Given.delivery(target, alert({ groupId }))
        const [leased, ...others] = yield* lease()
        expect([leased?.id, others]).toEqual([id, []])
        yield* deliveries.settle([
          { delivery: { ...leased!, id: before.id, leases: 0 }, result: attempted() },
        ])
        const found = yield* deliveries.find(target.projectId, target.id, before.id)
        expect(yield* Effect.fromOption(found)).toEqual(before)
      }),
    ),

    contractCase(
      "deletes old throttled notifications like sent ones",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyDeliveries
        const target = yield* newTarget
        const old = yield* Given.delivery(target, alert(heldBack("limit")))
        const waiting = yield* Given.delivery(target, alert())
        yield* advance("30 hours")
        const recent = yield* Given.delivery(target, alert(heldBack("limit")))
        yield* forget
        const find = (id: typeof old.id) => deliveries.find(target.projectId, target.id, id)
        expect(yield* find(old.id)).toEqual(Option.none())
        for (const { id } of [waiting, recent]) expect(Option.isSome(yield* find(id))).toBe(true)
      }),
    ),

    contractCase(
      "lists the notifications of a project newest first, page by page, during inserts",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const target = yield* newTarget
        const { projectId } = target
        const other = yield* Given.target(projectId)
        const webhook = yield* Given.webhook(projectId)
        const foreign = yield* newTarget
        const ids: Array<number> = []
        for (let i = 0; i < 5; i++) {
          ids.push((yield* Given.delivery(i % 2 === 0 ? target : other, alert())).id)
          yield* Given.delivery(webhook)
          yield* Given.delivery(foreign, alert())
        }
        const [a, b, c, d, e] = ids
        const pages = yield* readPages(
          2,
          (page) => deliveries.notifications(projectId, any, page),
          Given.delivery(target, alert()),
        )
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
        const bare = yield* Given.project()
        expect((yield* deliveries.notifications(bare.id, any, all)).items).toEqual([])
        const [newest] = (yield* deliveries.notifications(foreign.projectId, any, all)).items
        const found = yield* deliveries.find(foreign.projectId, foreign.id, newest!.id)
        expect(Option.some(newest)).toEqual(found)
      }),
    ),

    contractCase(
      "filters the list by target, rule, group and status, with full pages",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyDeliveries
        const target = yield* newTarget
        const { projectId } = target
        const other = yield* Given.target(projectId)
        const webhook = yield* Given.webhook(projectId)
        const [groupA, groupB] = [GroupId.make(11), GroupId.make(12)]
        const given = (to: Pick<Target, "id" | "projectId">, overrides: Partial<NewDelivery>) =>
          Effect.map(Given.delivery(to, alert(overrides)), idOf)
        const a = yield* given(target, { ruleId: 1, groupId: groupA })
        const b = yield* given(other, { ruleId: 2, groupId: groupA, ...heldBack("limit") })
        yield* given(webhook, { event: "group.created", groupId: groupA })
        const c = yield* given(target, { ruleId: 1, groupId: groupB })
        const [sent] = (yield* lease()).filter(({ id }) => id === c)
        yield* deliveries.settle([{ delivery: sent!, result: attempted() }])
        const d = yield* given(target, { ruleId: 2, groupId: null })
        const e = yield* given(other, { ruleId: null, groupId: groupA })
        const list = (filter: Partial<NotificationFilter>) =>
          Effect.map(
            readPages(1, (page) => deliveries.notifications(projectId, { ...any, ...filter }, page)),
            (pages) => pages.flat().map(idOf),
          )
        expect(yield* list({})).toEqual([e, d, c, b, a])
        expect(yield* list({ targetId: target.id })).toEqual([d, c, a])
        expect(yield* list({ targetId: webhook.id })).toEqual([])
        expect(yield* list({ ruleId: 1 })).toEqual([c, a])
        expect(yield* list({ groupId: groupA })).toEqual([e, b, a])
        expect(yield* list({ status: "throttled" })).toEqual([b])
        expect(yield* list({ status: "succeeded" })).toEqual([c])
        expect(yield* list({ status: "pending" })).toEqual([e, d, a])
        expect(yield* list({ status: "failed" })).toEqual([])
        expect(yield* list({ targetId: other.id, ruleId: 2, groupId: groupA, status: "throttled" })).toEqual([
          b,
        ])
        expect(yield* list({ ruleId: 1, groupId: groupA })).toEqual([a])
      }),
    ),

    contractCase(
      "summarizes throttled notifications of a period by receiver, with the newest messages",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const target = yield* newTarget
        const { projectId } = target
        const other = yield* Given.target(projectId)
        const foreign = yield* newTarget
        const userId = (yield* Given.user()).id
        const limited = heldBack("limit")
        const body = (i: number) => `{"number":${i}}`
        for (let i = 0; i < 12; i++) {
          yield* insert(target, alert({ ...limited, requestBody: body(i) }))
        }
        yield* insert(target, alert({ ...limited, userId, requestBody: body(20) }))
        yield* insert(target, alert({ ...limited, recipient: "a@example.test", requestBody: body(21) }))
        yield* insert(target, alert({ ...limited, recipient: "b@example.test", requestBody: body(22) }))
        yield* insert(target, alert({ ...limited, userId, requestBody: body(23) }))
        yield* insert(other, alert({ ...limited, requestBody: body(24) }), hours(1))
        // With other reasons, times and projects, and one that is sent.
        yield* insert(target, alert(heldBack("repeat")))
        yield* insert(target, alert(limited), hours(2))
        yield* insert(target, alert(limited), DateTime.subtract(noon, { milliseconds: 1 }))
        yield* insert(foreign, alert(limited))
        yield* insert(target, alert())
        const found = (targetId: TargetId | null, until: DateTime.Utc) =>
          Effect.map(deliveries.heldBack(projectId, targetId, "limit", noon, until), (receivers) =>
            receivers.toSorted(
              (a, b) => Number(a.newest[0]?.match(/\d+/)) - Number(b.newest[0]?.match(/\d+/)),
            ),
          )
        const receiver = (
          to: Target,
          user: UserId | null,
          recipient: string | null,
          count: number,
          newest: ReadonlyArray<number>,
        ) => ({ targetId: to.id, userId: user, recipient, count, newest: newest.map(body) })
        const ofTarget = [
          receiver(target, null, null, 12, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]),
          receiver(target, null, "a@example.test", 1, [21]),
          receiver(target, null, "b@example.test", 1, [22]),
          receiver(target, userId, null, 2, [23, 20]),
        ]
        const ofOther = [receiver(other, null, null, 1, [24])]
        expect(yield* found(target.id, hours(1))).toEqual(ofTarget)
        expect(yield* found(null, hours(1))).toEqual(ofTarget)
        expect(yield* found(null, hours(2))).toEqual([...ofTarget, ...ofOther])
        expect(yield* found(other.id, hours(2))).toEqual(ofOther)
        expect(yield* deliveries.heldBack(projectId, null, "quiet_hours", noon, hours(2))).toEqual([])
      }),
    ),
  ],
}
