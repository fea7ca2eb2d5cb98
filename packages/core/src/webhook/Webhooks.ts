import { Context, DateTime, Effect, Layer, Option, type Redacted, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { generateWebhookSecret } from "../access/Secrets.js"
import { WebhookEvent } from "../delivery/Delivery.js"
import { DeliveryStore } from "../delivery/DeliveryStore.js"
import { Keyring } from "../encryption/Keyring.js"
import { webhookKind } from "../notification/Target.js"
import * as TargetSecret from "../notification/TargetSecret.js"
import { type StoredTarget, TargetStore } from "../notification/TargetStore.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { isStorable, notStorable, tooLong } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { eventCountProblem, ofTarget, type Webhook, WebhookId } from "./Webhook.js"

/** The project has no such webhook. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {
  webhookId: WebhookId,
}) {}

/** Returns the webhook that was found. Fails with `WebhookNotFound` if nothing was found, or a target of another kind. */
export const existing = (
  found: Option.Option<StoredTarget>,
  webhookId: WebhookId,
): Effect.Effect<Webhook, WebhookNotFound> =>
  Effect.fromOption(
    Option.map(
      Option.filter(found, ({ kind }) => kind === webhookKind),
      ofTarget,
    ),
    () => new WebhookNotFound({ webhookId }),
  )

/** Input of `Webhooks.create`, not validated. */
export interface CreateWebhook {
  readonly url: string
  /** Names of events. */
  readonly events: ReadonlyArray<string>
  /** Defaults to true. */
  readonly enabled?: boolean | undefined
}

/** A new webhook with its secret. */
export interface CreatedWebhook {
  readonly webhook: Webhook
  /** The signing key: `whsec_` and base64. It cannot be read again. */
  readonly secret: Redacted.Redacted
}

/** Undefined fields stay. */
export type UpdateWebhook = { readonly [Key in keyof CreateWebhook]?: CreateWebhook[Key] | undefined }

/** Manages the webhooks of a project. */
export class Webhooks extends Context.Service<Webhooks>()("@errata/core/webhook/Webhooks", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const targets = yield* TargetStore
    const deliveries = yield* DeliveryStore
    const keyring = yield* Keyring

    /** Newest first. */
    const list = Effect.fn("Webhooks.list")(function* (
      { project }: AuthorizedProject<"webhooks.read">,
      page: Page.PageRequest,
    ) {
      const { items, nextCursor } = yield* targets.listWebhooks(project.id, yield* Page.checked(page))
      return { items: items.map(ofTarget), nextCursor }
    })

    const get = Effect.fn("Webhooks.get")(function* (
      { project }: AuthorizedProject<"webhooks.read">,
      id: WebhookId,
    ) {
      return yield* existing(yield* targets.find(project.id, id), id)
    })

    /** Creates a webhook with a new secret, which callers show once. */
    const create = Effect.fn("Webhooks.create")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      { enabled = true, ...input }: CreateWebhook,
    ) {
      const { events, url } = yield* validate(input)
      const secret = yield* generateWebhookSecret
      const sealed = yield* TargetSecret.seal(keyring, project.id, secret)
      const target = {
        ...unusedFields,
        projectId: project.id,
        kind: webhookKind,
        url,
        events,
        enabled,
        secret: sealed,
      }
      // Without a limit, every target is added.
      const added = Option.getOrThrow(yield* targets.insert(target, null, yield* DateTime.now))
      return { webhook: ofTarget(added), secret } satisfies CreatedWebhook
    })

    const update = Effect.fn("Webhooks.update")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      id: WebhookId,
      input: UpdateWebhook,
    ) {
      const { enabled, events, url } = yield* validate(input)
      yield* existing(yield* targets.find(project.id, id), id)
      const changes = { url, events, enabled }
      return yield* existing(yield* targets.update(project.id, id, changes, yield* DateTime.now), id)
    })

    /** Deletes a webhook with its deliveries. */
    const remove = Effect.fn("Webhooks.remove")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      id: WebhookId,
    ) {
      yield* existing(yield* targets.find(project.id, id), id)
      // In short statements, because there may be very many. Deleting the webhook deletes those added meanwhile.
      const removeSome = transaction(deliveries.removeSome(project.id, id, removalBatch))
      while ((yield* removeSome) === removalBatch) {}
      if (!(yield* transaction(targets.remove(project.id, id))))
        return yield* new WebhookNotFound({ webhookId: id })
    })

    return { list, get, create, update, remove }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const removalBatch = 5_000
const maxUrlLength = 2_000

/** The fields of a target that webhooks do not use. */
const unusedFields = { name: "", address: {}, quietHours: null, createdBy: null }

/** Validates the given fields. Returns known and distinct events. */
const validate = <Input extends UpdateWebhook>(input: Input) => {
  const events = input.events?.filter(isEvent)
  return Effect.as(
    ValidationError.ensure({
      url: input.url === undefined ? null : urlProblem(input.url),
      events: input.events === undefined ? null : eventsProblem(input.events),
    }),
    { ...input, ...(events === undefined ? {} : { events: [...new Set(events)] }) },
  )
}

const isEvent = Schema.is(WebhookEvent)
const eventNames = WebhookEvent.literals.join(", ")

const eventsProblem = (names: ReadonlyArray<string>): string | null => {
  const problem = eventCountProblem(names)
  if (problem !== null) return problem
  if (names.length > 0 && names.every(isEvent)) return null
  return names.some(isEvent) ? `must be some of ${eventNames}` : `must have at least one of ${eventNames}`
}

const urlProblem = (text: string): string | null => {
  if (!isStorable(text)) return notStorable
  if (text.length > maxUrlLength) return tooLong(maxUrlLength)
  // The URL parser is lenient: it drops and encodes characters, and accepts a host without slashes.
  if (/[\s\p{Control}\p{Surrogate}\\]/u.test(text) || !URL.canParse(text)) return "is not a URL"
  if (!/^https?:\/\/[^/]/i.test(text)) return "must start with http:// or https:// and a host"
  const { password, username } = new URL(text)
  return username === "" && password === "" ? null : "must not contain credentials"
}
