/** The targets that admins make, and links that stop mail, through the core's services. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  MemberMails,
  type ProjectId,
  TargetId,
  Targets,
  type User,
} from "@errata/core"
import { DeliveryStore, Keyring, MemberMailStore, TargetStore } from "@errata/core/ports"
import { contractCase, Given } from "@errata/testing"
import { DateTime, Effect, Layer, Option } from "effect"
import { expect } from "vitest"
import * as UnsubscribeToken from "../../src/notification/UnsubscribeToken.js"
import { target, withKinds } from "../alert/support.js"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"

const keyring = Option.getOrThrow(Keyring.parseKeys("c".repeat(64)))

const services = Layer.mergeAll(Targets.Default, MemberMails.Default).pipe(
  Layer.provideMerge(AccessPolicy.layer),
  Layer.provideMerge(Layer.succeed(Keyring.Keyring, keyring)),
)

const withServices = <A, E, R>(effect: Effect.Effect<A, E, R>) => withKinds(Effect.provide(effect, services))

const authorized = <Rule extends AccessPolicy.ProjectRule>(
  rule: Rule,
  id: ProjectId,
  actor: Actor = Actor.System(),
) =>
  Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project(rule, id)).pipe(
    Effect.provideService(CurrentActor, actor),
    withServices,
  )

const administer = (id: ProjectId) => authorized("alerts.administer", id)

const use = <A, E, R>(f: (targets: Targets["Service"]) => Effect.Effect<A, E, R>) =>
  withServices(Effect.flatMap(Targets, f))

const useMail = <A, E, R>(f: (mail: MemberMails["Service"]) => Effect.Effect<A, E, R>) =>
  withServices(Effect.flatMap(MemberMails, f))

const personal = (id: ProjectId, user: User) => authorized("mail.change", id, Actor.Person({ user }))

onStorages("Targets", [
  contractCase(
    "store secret fields encrypted, and keep them when an update omits them",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const admin = yield* administer(id)
      const store = yield* TargetStore
      const created = yield* use((targets) =>
        targets.create(admin, {
          kind: "chat",
          name: "Ops",
          address: { url: "https://chat.test/T0KEN", to: "#ops" },
        }),
      )
      expect(created).toMatchObject({ kind: "chat", name: "Ops", enabled: true, address: { to: "#ops" } })
      expect(JSON.stringify(yield* store.find(id, created.id))).not.toContain("T0KEN")
      const changed = yield* use((targets) =>
        targets.update(admin, created.id, { name: "Ops 2", address: { to: "" } }),
      )
      expect(changed).toMatchObject({ name: "Ops 2", address: {} })
      expect(changed.secret).not.toBeNull()
      expect(
        yield* refusal(use((targets) => targets.update(admin, created.id, { address: { url: "" } }))),
      ).toEqual({
        "address.url": ["can't be blank"],
      })
      yield* use((targets) => targets.remove(admin, created.id))
      expect(yield* refusal(use((targets) => targets.get(admin as never, created.id)))).toBe("TargetNotFound")
    }),
  ),

  contractCase(
    "reject unknown kinds and fields, and invalid addresses and hours, by the name of the field",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const admin = yield* administer(id)
      const refused = (changes: object) =>
        refusal(
          use((targets) =>
            targets.create(admin, {
              kind: "chat",
              name: "Ops",
              address: { url: "https://chat.test" },
              ...changes,
            }),
          ),
        )
      expect(yield* refused({ kind: "pigeon" })).toEqual({ kind: ["must be one of chat, mail"] })
      expect(yield* refused({ kind: "members" })).toEqual({ kind: ["must be one of chat, mail"] })
      expect(yield* refused({ name: "" })).toEqual({ name: ["can't be blank"] })
      expect(yield* refused({ address: {} })).toEqual({ "address.url": ["can't be blank"] })
      expect(yield* refused({ address: { url: "wrong" } })).toEqual({ "address.url": ["is wrong"] })
      expect(yield* refused({ address: { url: "x", color: "red" } })).toEqual({
        "address.color": ["is not a field of this kind"],
      })
      expect(yield* refused({ address: { url: "x".repeat(4_001) } })).toEqual({
        "address.url": ["is too long (maximum is 4000 characters)"],
      })
      expect(yield* refused({ quietHours: { from: 1, to: 1, timezone: "UTC" } })).toEqual({
        quietHours: ["must not end when they begin"],
      })
      expect(yield* refused({ quietHours: { from: 0, to: 1_440, timezone: "UTC" } })).toEqual({
        quietHours: ["must be times of the day"],
      })
      expect(yield* refused({ quietHours: { from: 0, to: 60, timezone: "+02:00" } })).toEqual({
        quietHours: ["must have an IANA time zone name"],
      })
      expect(yield* refusal(use((targets) => targets.test(admin, TargetId.make(999_999))))).toBe(
        "TargetNotFound",
      )
    }),
  ),

  contractCase(
    "are not found, changed or removed by the ids of webhooks and members",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const admin = yield* administer(id)
      const reader = yield* authorized("alerts.read", id)
      const store = yield* TargetStore
      const webhook = yield* Given.webhook(id)
      const delivery = yield* Given.delivery(webhook)
      for (const other of [webhook.id, yield* store.membersOf(id, yield* DateTime.now)]) {
        for (const refused of [
          use((targets) => targets.get(reader, other)),
          use((targets) => targets.update(admin, other, { enabled: false })),
          use((targets) => targets.remove(admin, other)),
          use((targets) => targets.test(admin, other)),
        ]) {
          expect(yield* refusal(refused)).toBe("TargetNotFound")
        }
      }
      expect(yield* use((targets) => targets.list(reader))).toEqual([])
      expect(yield* store.find(id, webhook.id)).toEqual(Option.some(webhook))
      const deliveries = yield* DeliveryStore
      expect(yield* deliveries.find(id, webhook.id, delivery.id)).toEqual(Option.some(delivery))
    }),
  ),

  contractCase(
    "stop mail by a link, for the member or the one address",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const user = yield* Given.member([id])
      const seal = (subscription: UnsubscribeToken.Subscription) =>
        withServices(UnsubscribeToken.make(subscription))
      const mine = yield* personal(id, user)
      expect(yield* useMail((mail) => mail.get(mine as never))).toEqual({
        mode: "new_and_reopened",
        digest: "never",
      })
      yield* useMail((mail) => mail.update(mine, { digest: "weekly" }))
      expect(yield* useMail((mail) => mail.get(mine as never))).toEqual({
        mode: "new_and_reopened",
        digest: "weekly",
      })
      const token = yield* seal({ _tag: "Member", projectId: id, userId: user.id })
      yield* useMail((mail) => mail.unsubscribe(token))
      yield* useMail((mail) => mail.unsubscribe(token))
      expect(yield* useMail((mail) => mail.get(mine as never))).toEqual({ mode: "nothing", digest: "never" })

      const one = yield* target(id, { kind: "mail", address: { to: "ann@a.test, Ben@a.test" } })
      const store = yield* TargetStore
      const stop = (address: string) =>
        Effect.flatMap(seal({ _tag: "Address", projectId: id, targetId: one.id, address }), (sealed) =>
          useMail((mail) => mail.unsubscribe(sealed)),
        )
      yield* stop("ben@a.test")
      expect(Option.getOrThrow(yield* store.find(id, one.id))).toMatchObject({
        address: { to: "ann@a.test" },
        enabled: true,
      })
      yield* stop("ann@a.test")
      expect(Option.getOrThrow(yield* store.find(id, one.id))).toMatchObject({ enabled: false })
      for (const wrong of ["", "v1.x.y", `${token}x`, token.slice(0, -6), "x".repeat(5_000)]) {
        expect(yield* refusal(useMail((mail) => mail.unsubscribe(wrong)))).toBe("UnsubscribeFailed")
      }
    }),
  ),

  contractCase(
    "are mail settings only for people",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const system = yield* authorized("mail.change", id)
      expect(yield* refusal(useMail((mail) => mail.update(system, { mode: "nothing" })))).toBe("NoPerson")
      const mail = yield* MemberMailStore
      yield* mail.pause({ address: "gone@a.test", detail: "no such user", pausedAt: yield* DateTime.now })
      const admin = yield* Effect.flatMap(AccessPolicy.AccessPolicy, (access) =>
        access.instance("users.administer"),
      ).pipe(Effect.provideService(CurrentActor, Actor.System()), withServices)
      expect(yield* useMail((mails) => mails.resume(admin, "GONE@a.test"))).toBe(true)
      expect(yield* useMail((mails) => mails.resume(admin, "gone@a.test"))).toBe(false)
    }),
  ),
])
