import { DateTime, Effect, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { generateWebhookSecret } from "../access/Secrets.js"
import { ValidationError } from "../access/ValidationError.js"
import type { PageRequest } from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { DeliveryStore } from "./DeliveryStore.js"
import { WebhookEvent, WebhookId } from "./Webhook.js"
import { WebhookStore } from "./WebhookStore.js"

/** No such webhook in the project. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {
  webhookId: WebhookId,
}) {}

/** What a webhook is created from; checked by `Webhooks.create`. */
export interface CreateWebhook {
  readonly url: string
  /** Names of events. */
  readonly events: ReadonlyArray<string>
  /** True where it is left out. */
  readonly enabled?: boolean | undefined
}

/** What is left out stays as it is. */
export type UpdateWebhook = { readonly [Key in keyof CreateWebhook]?: CreateWebhook[Key] | undefined }

/** The webhooks of a project. */
export class Webhooks extends Effect.Service<Webhooks>()("@errata/core/webhook/Webhooks", {
  effect: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const webhooks = yield* WebhookStore
    const deliveries = yield* DeliveryStore

    /** Newest first. */
    const list = Effect.fn("Webhooks.list")(function* (
      { project }: AuthorizedProject<"webhooks.read">,
      page: PageRequest,
    ) {
      return yield* webhooks.list(project.id, page)
    })

    const get = Effect.fn("Webhooks.get")(function* (
      { project }: AuthorizedProject<"webhooks.read">,
      id: WebhookId,
    ) {
      const found = yield* webhooks.find(project.id, id)
      return found._tag === "None" ? yield* new WebhookNotFound({ webhookId: id }) : found.value
    })

    /** Creates a webhook with a fresh secret, which callers show once. */
    const create = Effect.fn("Webhooks.create")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      { enabled = true, ...input }: CreateWebhook,
    ) {
      const { events, url } = yield* validate(input)
      const secret = yield* generateWebhookSecret
      return yield* webhooks.insert(
        { projectId: project.id, url, events, enabled, secret },
        yield* DateTime.now,
      )
    })

    const update = Effect.fn("Webhooks.update")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      id: WebhookId,
      input: UpdateWebhook,
    ) {
      const changes = yield* validate(input)
      const changed = yield* webhooks.update(project.id, id, changes, yield* DateTime.now)
      return changed._tag === "None" ? yield* new WebhookNotFound({ webhookId: id }) : changed.value
    })

    /** Removes a webhook with its deliveries. */
    const remove = Effect.fn("Webhooks.remove")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      id: WebhookId,
    ) {
      // In short statements first: there may be very many. The webhook takes along what comes in meanwhile.
      const removeSome = transaction(deliveries.removeSome(project.id, id, removalBatch))
      while ((yield* removeSome) === removalBatch) {}
      if (!(yield* transaction(webhooks.remove(project.id, id))))
        return yield* new WebhookNotFound({ webhookId: id })
    })

    return { list, get, create, update, remove }
  }),
}) {}

// internal

const removalBatch = 5_000
const maxUrlLength = 2_000

/** What is given, checked; events are known and distinct then. */
const validate = <Input extends UpdateWebhook>(input: Input) => {
  const errors: Record<string, ReadonlyArray<string>> = {}
  const url = input.url === undefined ? null : urlError(input.url)
  if (url !== null) errors["url"] = [url]
  const events = input.events?.filter(isEvent)
  if (events?.length === 0) errors["events"] = [`must have at least one of ${eventNames}`]
  else if (events?.length !== input.events?.length) errors["events"] = [`must be some of ${eventNames}`]
  return Object.keys(errors).length > 0
    ? Effect.fail(new ValidationError({ errors }))
    : Effect.succeed({ ...input, ...(events === undefined ? {} : { events: [...new Set(events)] }) })
}

const isEvent = Schema.is(WebhookEvent)
const eventNames = WebhookEvent.literals.join(", ")

const urlError = (text: string): string | null => {
  if (text.length > maxUrlLength) return `is too long (maximum is ${maxUrlLength} characters)`
  // The parser is lenient: it drops and encodes characters, and finds a host without slashes before it.
  if (/[\s\p{Control}\p{Surrogate}\\]/u.test(text) || !URL.canParse(text)) return "is not a URL"
  if (!/^https?:\/\/[^/]/i.test(text)) return "must start with http:// or https:// and a host"
  const { password, username } = new URL(text)
  return username === "" && password === "" ? null : "must not contain credentials"
}
