import { Context, Effect, Layer, Schema } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** No payload with this id is set aside. */
export class SetAsideNotFound extends Schema.TaggedError<SetAsideNotFound>()("SetAsideNotFound", {
  /** As it was asked for. */
  id: Schema.Number,
}) {}

/** What was accepted and could not be recorded, for those who run the instance. */
export class SetAside extends Context.Service<SetAside>()("@errata/core/ingest/SetAside", {
  make: Effect.gen(function* () {
    const { setAside: settings } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const pending = yield* PendingPayloads
    const signal = yield* RecorderSignal

    /** Newest first. */
    const list = Effect.fn("SetAside.list")(function* (
      _allowed: AuthorizedInstance<"ingest.inspect">,
      page: Page.PageRequest,
    ) {
      return yield* pending.listSetAside(yield* Page.checked(page))
    })

    /** How much is set aside in all, and how much of it each project may have. */
    const summary = Effect.fn("SetAside.summary")(function* (_allowed: AuthorizedInstance<"ingest.inspect">) {
      return { ...(yield* pending.setAsideSize), bounds: settings }
    })

    /** Puts a payload back into the queue, say after an upgrade that understands it. */
    const retry = Effect.fn("SetAside.retry")(function* (
      _allowed: AuthorizedInstance<"ingest.retry">,
      id: number,
    ) {
      // No storage can be asked about others.
      if (!Number.isSafeInteger(id) || id < 1) return yield* new SetAsideNotFound({ id })
      yield* transaction(
        Effect.gen(function* () {
          if (!(yield* pending.retrySetAside(id))) return yield* new SetAsideNotFound({ id })
        }),
      )
      yield* signal.raise
    })

    /**
     * Puts everything that is set aside now back into the queue; answers how many payloads. From the newest to the
     * oldest: what fails again meanwhile is set aside as a newer one, so each is put back once.
     */
    const retryAll = Effect.fn("SetAside.retryAll")(function* (_allowed: AuthorizedInstance<"ingest.retry">) {
      let total = 0
      let cursor: number | null = null
      do {
        const page: { readonly count: number; readonly nextCursor: number | null } = yield* transaction(
          retryPage(cursor),
        )
        total += page.count
        cursor = page.nextCursor
        yield* signal.raise
      } while (cursor !== null)
      return total
    })

    const retryPage = Effect.fnUntraced(function* (cursor: number | null) {
      const { items, nextCursor } = yield* pending.listSetAside({ limit: retriedAtOnce, cursor })
      // Others may be retrying them, too.
      const taken = yield* Effect.filter(items, ({ id }) => pending.retrySetAside(id))
      return { count: taken.length, nextCursor }
    })

    return { list, summary, retry, retryAll }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** In one transaction. */
const retriedAtOnce = 100
