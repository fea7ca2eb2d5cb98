/** Webhooks and their deliveries through the core's services. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  Deliveries,
  type DeliveryId,
  type ProjectId,
  type User,
  type WebhookId,
  Webhooks,
} from "@errata/core"
import { TargetSecret } from "@errata/core/internal"
import { DeliveryStore, Keyring, keyIdOf, TargetStore } from "@errata/core/ports"
import { contractCase, Factory, Given } from "@errata/testing"
import { Effect, Layer, Option, Redacted } from "effect"
import { expect } from "vitest"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"

const all = { limit: 100, cursor: null }
const any = { event: null, success: null }

const keysOf = (...digits: ReadonlyArray<string>) =>
  Option.getOrThrow(Keyring.parseKeys(digits.map((digit) => digit.repeat(64)).join(",")))

const keyring = keysOf("a")

const servicesWith = (keys: ReadonlyArray<Keyring.EncryptionKey>) =>
  Deliveries.Default.pipe(
    Layer.provideMerge(Webhooks.Default),
    Layer.provideMerge(AccessPolicy.layer),
    Layer.provideMerge(Layer.succeed(Keyring.Keyring, keys)),
  )

const services = servicesWith(keyring)

const authorized = <Rule extends AccessPolicy.ProjectRule>(rule: Rule, id: ProjectId, actor: Actor) =>
  Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project(rule, id)).pipe(
    Effect.provideService(CurrentActor, actor),
    Effect.provide(services),
  )

const administer = (id: ProjectId) => authorized("webhooks.administer", id, Actor.System())
const read = (id: ProjectId) => authorized("webhooks.read", id, Actor.System())

const use = <A, E, R>(f: (webhooks: Webhooks["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(Webhooks, f), services)

const useDeliveries = <A, E, R>(f: (deliveries: Deliveries["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(Deliveries, f), services)

const events = ["group.created"]

onStorages("Webhooks", [
  contractCase(
    "encrypt secrets again with a new key, and report whether all are readable",
    Effect.gen(function* () {
      const project = yield* administer((yield* Given.project()).id)
      const create = (keys: ReadonlyArray<Keyring.EncryptionKey>) =>
        Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.create(project, { url: "https://a.test", events }),
        ).pipe(Effect.provide(Layer.fresh(servicesWith(keys))))
      const withKeys =
        (keys: ReadonlyArray<Keyring.EncryptionKey>) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.provideService(effect, Keyring.Keyring, keys)
      // Secrets that other cases stored have other keys.
      const { sampleSecrets } = yield* TargetStore
      const foreign = (yield* sampleSecrets).length > 0
      const [former, next] = [keysOf("b"), keysOf("c")]
      const created = [yield* create(former), yield* create(former)]
      const reader = yield* read(project.project.id)
      const get = (id: WebhookId) => use((webhooks) => webhooks.get(reader, id))
      const sealedWith = Effect.forEach(created, ({ webhook }) =>
        Effect.map(get(webhook.id), ({ secret }) => keyIdOf(secret)),
      )
      const [formerId, nextId] = [former[0]!.id, next[0]!.id]
      const all = [...next, ...former]
      expect(yield* TargetSecret.areReadable.pipe(withKeys(all))).toBe(!foreign)
      expect(yield* TargetSecret.areReadable.pipe(withKeys(next))).toBe(false)
      // The new key alone cannot open them.
      expect(yield* TargetSecret.rotate.pipe(withKeys(next))).toBe(0)
      expect(yield* sealedWith).toEqual([formerId, formerId])
      expect(yield* TargetSecret.rotate.pipe(withKeys(all))).toBe(2)
      expect(yield* sealedWith).toEqual([nextId, nextId])
      expect(yield* TargetSecret.rotate.pipe(withKeys(all))).toBe(0)
      for (const { secret, webhook } of created) {
        expect(yield* TargetSecret.open(next, yield* get(webhook.id))).toEqual(secret)
      }
      expect(yield* TargetSecret.areReadable.pipe(withKeys(next))).toBe(!foreign)
      for (const { webhook } of created) {
        yield* Effect.flatMap(TargetStore, ({ remove }) => remove(webhook.projectId, webhook.id))
      }
    }),
  ),

  contractCase(
    "are created with a secret of their own, enabled, with every event once",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const project = yield* administer(id)
      const url = "https://example.test/hook?token=a%20b#part"
      const create = use((webhooks) =>
        webhooks.create(project, { url, events: ["group.muted", "group.created", "group.muted"] }),
      )
      const [first, second] = [yield* create, yield* create]
      expect(first.webhook).toMatchObject({
        projectId: id,
        url,
        events: ["group.muted", "group.created"],
        enabled: true,
      })
      const secret = Redacted.value(first.secret)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(secret).not.toBe(Redacted.value(second.secret))
      expect(JSON.stringify(first)).not.toContain(secret)
      // The stored secret cannot be opened without the key, or for another project.
      const sealed = first.webhook.secret
      expect(sealed).not.toContain(secret.slice(6))
      const other = { projectId: (yield* Given.project()).id, secret: sealed }
      expect(yield* TargetSecret.open(keyring, first.webhook)).toEqual(first.secret)
      for (const unreadable of [TargetSecret.open(keyring, other), TargetSecret.open([], first.webhook)]) {
        expect(yield* Effect.flip(unreadable)).toMatchObject({ _tag: "SecretUnreadable" })
      }
      const withoutKey = Effect.flatMap(Webhooks, (webhooks) => webhooks.create(project, { url, events }))
      expect(yield* Effect.flip(Effect.provide(withoutKey, Layer.fresh(servicesWith([]))))).toMatchObject({
        _tag: "EncryptionKeyMissing",
      })
      const disabled = yield* use((webhooks) => webhooks.create(project, { url, events, enabled: false }))
      expect(disabled.webhook.enabled).toBe(false)
    }),
  ),

  contractCase(
    "accept http and https URLs without credentials",
    Effect.gen(function* () {
      const project = yield* administer((yield* Given.project()).id)
      const create = (url: string) => refusal(use((webhooks) => webhooks.create(project, { url, events })))
      for (const url of [
        "http://example.test",
        "HTTPS://example.test:8443/a/b?c=d",
        "http://127.0.0.1:9000/",
        "http://[::1]/",
        "https://münchen.example/",
        `https://example.test/${"x".repeat(2_000 - 21)}`,
      ]) {
        expect([url, yield* create(url)]).toEqual([url, "accepted"])
      }
      for (const [url, message] of [
        ["", "is not a URL"],
        ["example.test/hook", "is not a URL"],
        ["https://", "is not a URL"],
        ["https://exa mple.test", "is not a URL"],
        [" https://example.test", "is not a URL"],
        ["https://example.test/\n", "is not a URL"],
        ["https://example.test\\@evil.test", "is not a URL"],
        ["https://example.test/\ud800", "contains characters that cannot be stored"],
        ["https://example.test:99999", "is not a URL"],
        ["ftp://example.test", "must start with http:// or https:// and a host"],
        ["javascript:alert(1)", "must start with http:// or https:// and a host"],
        ["file:///etc/passwd", "must start with http:// or https:// and a host"],
        ["https:example.test", "must start with http:// or https:// and a host"],
        ["https:///example.test", "must start with http:// or https:// and a host"],
        ["https://user@example.test", "must not contain credentials"],
        ["https://:secret@example.test", "must not contain credentials"],
        [`https://example.test/${"x".repeat(2_001 - 21)}`, "is too long (maximum is 2000 characters)"],
      ] as const) {
        expect([url, yield* create(url)]).toEqual([url, { url: [message] }])
      }
    }),
  ),

  contractCase(
    "subscribe to at least one event, and to known ones only",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const project = yield* administer(id)
      const webhook = yield* Given.webhook(id)
      const none = expect.stringContaining("must have at least one of group.created, group.resolved")
      const some = expect.stringContaining("must be some of group.created, group.resolved")
      for (const [events, message] of [
        [[], none],
        [["group.create"], none],
        [["GROUP.CREATED"], none],
        [["group.created", ""], some],
        [["*", "group.created"], some],
      ] as const) {
        const created = use((webhooks) => webhooks.create(project, { url: "https://a.test", events }))
        expect(yield* refusal(created)).toEqual({ events: [message] })
        const updated = use((webhooks) => webhooks.update(project, webhook.id, { events }))
        expect(yield* refusal(updated)).toEqual({ events: [message] })
      }
      const both = use((webhooks) => webhooks.create(project, { url: "x", events: [] }))
      expect(yield* refusal(both)).toEqual({ url: ["is not a URL"], events: [none] })
      const tested = use((webhooks) => webhooks.update(project, webhook.id, { events: ["webhook.test"] }))
      expect((yield* tested).events).toEqual(["webhook.test"])
    }),
  ),

  contractCase(
    "change only the given fields, and nothing if one is invalid",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const project = yield* administer(id)
      const webhook = yield* Given.webhook(id)
      const update = (input: Parameters<Webhooks["Service"]["update"]>[2]) =>
        use((webhooks) => webhooks.update(project, webhook.id, input))
      expect(yield* refusal(update({ enabled: false, url: "ftp://example.test" }))).toEqual({
        url: [expect.any(String)],
      })
      const stored = Effect.flatMap(TargetStore, (store) =>
        Effect.flatMap(store.find(id, webhook.id), Effect.fromOption),
      )
      expect(yield* stored).toEqual(webhook)
      expect(yield* update({ enabled: false })).toMatchObject({
        url: webhook.url,
        events: webhook.events,
        enabled: false,
      })
      expect((yield* stored).enabled).toBe(false)
    }),
  ),

  contractCase(
    "are removed with all their deliveries",
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const { id } = yield* Given.project()
      const project = yield* administer(id)
      const [webhook, other] = [yield* Given.webhook(id), yield* Given.webhook(id)]
      // More than one batch of a removal.
      yield* deliveries.insert(
        Array.from({ length: 5_001 }, () => Factory.newDelivery(webhook)),
        Factory.noon,
      )
      const kept = yield* Given.delivery(other)
      yield* use((webhooks) => webhooks.remove(project, webhook.id))
      expect((yield* deliveries.list(id, webhook.id, any, all)).items).toEqual([])
      expect(Option.isSome(yield* deliveries.find(id, other.id, kept.id))).toBe(true)
      expect(yield* refusal(use((webhooks) => webhooks.remove(project, webhook.id)))).toBe("WebhookNotFound")
    }),
  ),

  contractCase(
    "are not found, changed or removed by the ids of other targets",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const project = yield* administer(id)
      const target = yield* Given.target(id)
      const delivery = yield* Given.delivery(target)
      const reader = yield* read(id)
      for (const refused of [
        use((webhooks) => webhooks.get(reader, target.id)),
        use((webhooks) => webhooks.update(project, target.id, { enabled: false })),
        use((webhooks) => webhooks.remove(project, target.id)),
        useDeliveries((deliveries) => deliveries.test(project, target.id)),
      ]) {
        expect(yield* refusal(refused)).toBe("WebhookNotFound")
      }
      expect((yield* use((webhooks) => webhooks.list(reader, all))).items).toEqual([])
      expect(yield* (yield* TargetStore).find(id, target.id)).toEqual(Option.some(target))
      expect(yield* (yield* DeliveryStore).find(id, target.id, delivery.id)).toEqual(Option.some(delivery))
    }),
  ),

  contractCase(
    "are administered by admins, and read by members",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const person = (user: User) => Actor.Person({ user })
      const member = person(yield* Given.member([id]))
      const stranger = person(yield* Given.user())
      const admin = person(yield* Given.user({ role: "admin" }))
      expect(yield* refusal(authorized("webhooks.administer", id, admin))).toBe("accepted")
      expect(yield* refusal(authorized("webhooks.administer", id, member))).toBe("AccessDenied")
      expect(yield* refusal(authorized("webhooks.read", id, member))).toBe("accepted")
      expect(yield* refusal(authorized("webhooks.read", id, stranger))).toBe("ProjectNotFound")
    }),
  ),

  contractCase(
    "of other projects are not found, nor are their deliveries",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const foreign = yield* Given.project()
      const webhook = yield* Given.webhook(id)
      const delivery = yield* Given.delivery(webhook)
      const outside = yield* read(foreign.id)
      const inside = yield* read(id)
      const list = (project: typeof inside, webhookId: WebhookId) =>
        useDeliveries((deliveries) => deliveries.list(project, webhookId, any, all))
      const get = (project: typeof inside, webhookId: WebhookId, deliveryId: DeliveryId) =>
        useDeliveries((deliveries) => deliveries.get(project, webhookId, deliveryId))
      expect((yield* list(inside, webhook.id)).items).toEqual([delivery])
      expect(yield* get(inside, webhook.id, delivery.id)).toEqual(delivery)
      expect(yield* refusal(use((webhooks) => webhooks.get(outside, webhook.id)))).toBe("WebhookNotFound")
      expect(yield* refusal(list(outside, webhook.id))).toBe("WebhookNotFound")
      expect(yield* refusal(get(outside, webhook.id, delivery.id))).toBe("WebhookNotFound")
      const other = yield* Given.webhook(id)
      expect(yield* refusal(get(inside, other.id, delivery.id))).toBe("DeliveryNotFound")
    }),
  ),
])
