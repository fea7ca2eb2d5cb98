import { Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import type { NewDelivery, NotificationFilter } from "../delivery/DeliveryStore.js"
import { DeliveryStore } from "../delivery/DeliveryStore.js"
import * as Requested from "../delivery/Requested.js"
import { TargetId } from "../delivery/Target.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Keyring from "../encryption/Keyring.js"
import * as WebUrl from "../group/WebUrl.js"
import type { Project } from "../project/Project.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { ValidationError } from "../validation/ValidationError.js"
import * as Mailboxes from "./Mailboxes.js"
import * as Notification from "./Notification.js"
import { NotificationTargets, type TargetAddress } from "./NotificationTarget.js"
import { membersKind, type QuietHours, type Target, webhookKind } from "./Target.js"
import * as TargetInput from "./TargetInput.js"
import * as TargetSecret from "./TargetSecret.js"
import { TargetStore } from "./TargetStore.js"

/** The project has no such target. */
export class TargetNotFound extends Schema.TaggedError<TargetNotFound>()("TargetNotFound", {
  targetId: TargetId,
}) {}

/** Input of `Targets.create`, not validated. */
export interface CreateTarget {
  /** The kind of a `NotificationTarget` of this instance. */
  readonly kind: string
  /** 1 to 100 characters. */
  readonly name: string
  /** The fields of the kind, secrets included. */
  readonly address: TargetAddress
  /** True by default. */
  readonly enabled?: boolean | undefined
  readonly quietHours?: QuietHours | null | undefined
}

/** Changes of a target. Missing fields stay as they are, those of the address included. */
export type UpdateTarget = {
  readonly [Key in Exclude<keyof CreateTarget, "kind">]?: CreateTarget[Key] | undefined
}

/** Manages the targets of a project, and reads their history. */
export class Targets extends Context.Service<Targets>()("@errata/core/notification/Targets", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const store = yield* TargetStore
    const deliveries = yield* DeliveryStore
    const keyring = yield* Keyring.Keyring
    const kinds = yield* NotificationTargets
    const { notifications } = yield* ErrataConfig
    const request = yield* Requested.make
    // The configured address: messages must not use that of a request.
    const webAddress = yield* WebUrl.WebAddress
    const check = TargetInput.checker(kinds, webAddress !== null)

    const existing = (found: Option.Option<Target>, targetId: TargetId) =>
      Effect.fromOption(
        Option.filter(found, ({ kind }) => kind !== membersKind && kind !== webhookKind),
        () => new TargetNotFound({ targetId }),
      )

    const seal = (project: Project, secrets: TargetAddress) =>
      Object.keys(secrets).length === 0
        ? Effect.succeed(null)
        : TargetSecret.seal(keyring, project.id, Redacted.make(JSON.stringify(secrets)))

    /** All targets of a project, in order of creation. */
    const list = Effect.fn("Targets.list")(function* ({ project }: AuthorizedProject<"alerts.read">) {
      const found = yield* store.ofProjects([project.id])
      return found.filter(({ kind }) => kind !== membersKind)
    })

    const get = Effect.fn("Targets.get")(function* (
      { project }: AuthorizedProject<"alerts.read">,
      id: TargetId,
    ) {
      return yield* existing(yield* store.find(project.id, id), id)
    })

    const create = Effect.fn("Targets.create")(function* (
      { actor, project }: AuthorizedProject<"alerts.administer">,
      { enabled = true, quietHours = null, ...input }: CreateTarget,
    ) {
      const { address, secrets } = yield* check({ ...input, quietHours }, {})
      const { kind, name } = input
      const secret = yield* seal(project, secrets)
      const created = yield* store.insert(
        {
          projectId: project.id,
          kind,
          name,
          enabled,
          address,
          secret,
          quietHours,
          createdBy: userIdOf(actor),
        },
        notifications.maxTargets,
        yield* DateTime.now,
      )
      return yield* Effect.fromOption(created, () =>
        ValidationError.of("kind", `the project has ${notifications.maxTargets} targets already`),
      )
    })

    const update = Effect.fn("Targets.update")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      id: TargetId,
      input: UpdateTarget,
    ) {
      const target = yield* existing(yield* store.find(project.id, id), id)
      const { enabled, name, quietHours } = input
      const given = { kind: target.kind, name: name ?? target.name, quietHours: quietHours ?? null }
      // Secrets that are entered again need not be readable.
      const stored =
        input.address === undefined
          ? {}
          : yield* Effect.orElseSucceed(TargetSecret.openFields(keyring, target), () => ({}))
      const changes =
        input.address === undefined
          ? yield* TargetInput.checkNames(given)
          : yield* Effect.flatMap(
              check({ ...given, address: input.address }, { ...target.address, ...stored }),
              ({ address, secrets }) => Effect.map(seal(project, secrets), (secret) => ({ address, secret })),
            )
      const updated = yield* store.update(
        project.id,
        id,
        { enabled, name, quietHours, ...changes },
        yield* DateTime.now,
      )
      return yield* existing(updated, id)
    })

    /** Deletes a target with its deliveries. Rules that name it continue without it. */
    const remove = Effect.fn("Targets.remove")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      id: TargetId,
    ) {
      yield* existing(yield* store.find(project.id, id), id)
      // In short statements, because there may be very many. Deleting the target deletes those added meanwhile.
      const removeSome = transaction(deliveries.removeSome(project.id, id, removalBatch))
      while ((yield* removeSome) === removalBatch) {}
      if (!(yield* transaction(store.remove(project.id, id))))
        return yield* new TargetNotFound({ targetId: id })
    })

    /** Sends a test message, even to a disabled target. Returns one delivery per receiver. */
    const test = Effect.fn("Targets.test")(function* (
      { project }: AuthorizedProject<"alerts.administer">,
      id: TargetId,
    ) {
      const target = yield* existing(yield* store.find(project.id, id), id)
      const now = yield* DateTime.now
      const requestBody = Notification.encode(TargetInput.testOf(target, project, webAddress, now))
      const delivery: NewDelivery = {
        ...Requested.asked,
        projectId: project.id,
        targetId: id,
        event: "notification.test",
        resendOf: null,
        requestBody,
      }
      const receivers = Mailboxes.of(target).map((recipient) => ({ ...delivery, recipient }))
      return yield* request(receivers.length === 0 ? [delivery] : receivers)
    })

    /** The notifications of a project, newest first: sent, held back, and failed. */
    const history = Effect.fn("Targets.history")(function* (
      { project }: AuthorizedProject<"alerts.read">,
      filter: NotificationFilter,
      page: Page.PageRequest,
    ) {
      return yield* deliveries.notifications(project.id, filter, yield* Page.checked(page))
    })

    return { kinds, list, get, create, update, remove, test, history }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const removalBatch = 5_000
