import type { Webhook, WebhookId } from "@errata/core"
import { DeliveryStore, ProjectStore, WebhookStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const all = { limit: 100, cursor: null }
const later = DateTime.add(Factory.noon, { hours: 1 })

const find = ({ id, projectId }: Webhook) =>
  Effect.flatMap(WebhookStore, (webhooks) => webhooks.find(projectId, id))

export const webhookStoreSuite: ContractSuite = {
  name: "WebhookStore",
  cases: [
    contractCase(
      "keeps a webhook as inserted",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const { id: projectId } = yield* Given.project()
        const input = Factory.newWebhook(projectId, {
          url: 'https://example.test/hook?a="b"&c=\\{d}',
          events: ["group.unresolved", "group.created"],
          enabled: false,
        })
        const inserted = yield* webhooks.insert(input, Factory.noon)
        expect(inserted).toMatchObject(input)
        expect([inserted.createdAt, inserted.updatedAt]).toEqual([Factory.noon, Factory.noon])
        const found = yield* Effect.fromOption(yield* find(inserted))
        expect(found).toEqual(inserted)
      }),
    ),

    contractCase(
      "changes only the given fields of a webhook",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const webhook = yield* Given.webhook((yield* Given.project()).id)
        const { id, projectId } = webhook
        const update = (changes: Parameters<typeof webhooks.update>[2]) =>
          Effect.flatMap(webhooks.update(projectId, id, changes, later), Effect.fromOption)
        const expected = { id, projectId, url: webhook.url, events: webhook.events, enabled: true }
        expect(yield* update({})).toMatchObject(expected)
        const disabled = yield* update({ enabled: false })
        expect(disabled).toMatchObject({ ...expected, enabled: false })
        expect([disabled.createdAt, disabled.updatedAt]).toEqual([webhook.createdAt, later])
        const url = "http://other.example.test/"
        expect(yield* update({ url })).toMatchObject({ ...expected, enabled: false, url })
        const changed = yield* update({ events: ["group.muted"], enabled: true })
        expect(changed).toMatchObject({ ...expected, url, events: ["group.muted"] })
        expect(changed.secret).toBe(webhook.secret)
        expect(yield* Effect.fromOption(yield* find(webhook))).toEqual(changed)
      }),
    ),

    contractCase(
      "finds, changes and removes a webhook by its project only",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const webhook = yield* Given.webhook((yield* Given.project()).id)
        const foreign = yield* Given.project()
        for (const [projectId, id] of [
          [foreign.id, webhook.id],
          [webhook.projectId, (webhook.id + 1_000_000) as WebhookId],
        ] as const) {
          expect(yield* webhooks.find(projectId, id)).toEqual(Option.none())
          expect(yield* webhooks.update(projectId, id, { enabled: false }, later)).toEqual(Option.none())
          expect(yield* webhooks.remove(projectId, id)).toBe(false)
        }
        expect(yield* Effect.fromOption(yield* find(webhook))).toEqual(webhook)
        expect((yield* webhooks.list(foreign.id, all)).items).toEqual([])
      }),
    ),

    contractCase(
      "lists the webhooks of a project newest first, page by page, whatever is added meanwhile",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const { id } = yield* Given.project()
        const other = yield* Given.project()
        const ids: Array<WebhookId> = []
        for (let i = 0; i < 5; i++) {
          ids.push((yield* Given.webhook(id)).id)
          yield* Given.webhook(other.id)
        }
        const [a, b, c, d, e] = ids
        const pages = yield* readPages(2, (page) => webhooks.list(id, page), Given.webhook(id))
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "lists enabled webhooks of live projects, with their projects' filters",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const projects = yield* ProjectStore
        const [a, b, gone, other] = yield* Effect.all([
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
        ])
        yield* projects.update(b.id, { errorAndFatalNotificationsOnly: true }, later)
        const first = yield* Given.webhook(a.id, { events: ["group.muted"] })
        const second = yield* Given.webhook(b.id)
        const third = yield* Given.webhook(a.id)
        yield* Given.webhook(a.id, { enabled: false })
        for (const { id } of [gone, other]) yield* Given.webhook(id)
        yield* projects.remove(gone.id, later)
        const listeners = yield* webhooks.listeners([b.id, gone.id, a.id, a.id])
        const expected = [first, second, third].map(({ events, id: webhookId, projectId }) => ({
          projectId,
          webhookId,
          events,
          errorAndFatalOnly: projectId === b.id,
        }))
        const ordered = [...listeners].sort((self, that) => self.webhookId - that.webhookId)
        expect(ordered).toEqual(expected)
        expect(yield* webhooks.listeners([])).toEqual([])
      }),
    ),

    contractCase(
      "removes a webhook with its deliveries, once",
      Effect.gen(function* () {
        const webhooks = yield* WebhookStore
        const deliveries = yield* DeliveryStore
        const webhook = yield* Given.webhook((yield* Given.project()).id)
        const other = yield* Given.webhook(webhook.projectId)
        const delivery = yield* Given.delivery(webhook)
        const kept = yield* Given.delivery(other)
        const remove = Effect.flatMap(WebhookStore, ({ remove }) => remove(webhook.projectId, webhook.id))
        const removed = yield* Effect.all([remove, onSecondNode(remove), remove], {
          concurrency: "unbounded",
        })
        expect(removed.filter((found) => found)).toHaveLength(1)
        expect(Option.isNone(yield* find(webhook))).toBe(true)
        const { projectId } = webhook
        expect(yield* deliveries.find(projectId, webhook.id, delivery.id)).toEqual(Option.none())
        expect(yield* deliveries.find(projectId, other.id, kept.id)).toEqual(Option.some(kept))
        expect((yield* webhooks.list(projectId, all)).items).toEqual([other])
      }),
    ),
  ],
}
