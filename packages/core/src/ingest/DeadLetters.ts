import { Context, Effect, Layer, Schema } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Page from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** No dead letter has this id. */
export class DeadLetterNotFound extends Schema.TaggedError<DeadLetterNotFound>()("DeadLetterNotFound", {
  /** The requested id. */
  id: Schema.Number,
}) {}

/** Lists, retries and discards dead letters, for operators. */
export class DeadLetters extends Context.Service<DeadLetters>()("@errata/core/ingest/DeadLetters", {
  make: Effect.gen(function* () {
    const { deadLetters: settings } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const pending = yield* PendingPayloads
    const signal = yield* RecorderSignal

    /** Newest first. */
    const list = Effect.fn("DeadLetters.list")(function* (
      _allowed: AuthorizedInstance<"ingest.inspect">,
      page: Page.PageRequest,
    ) {
      return yield* pending.listDeadLetters(yield* Page.checked(page))
    })

    /** The size of all dead letters, and the limits per project. */
    const summary = Effect.fn("DeadLetters.summary")(function* (
      _allowed: AuthorizedInstance<"ingest.inspect">,
    ) {
      return { ...(yield* pending.deadLettersSize), bounds: settings }
    })

    /** Moves a dead letter back into the queue, for example after an upgrade that can decode it. */
    const retry = Effect.fn("DeadLetters.retry")(function* (
      _allowed: AuthorizedInstance<"ingest.retry">,
      id: number,
    ) {
      yield* act(id, pending.retryDeadLetter)
      yield* signal.raise
    })

    /** Deletes a dead letter without recording it. */
    const discard = Effect.fn("DeadLetters.discard")(function* (
      _allowed: AuthorizedInstance<"ingest.discard">,
      id: number,
    ) {
      yield* act(id, pending.discardDeadLetter)
    })

    const act = Effect.fnUntraced(function* (
      id: number,
      change: (id: number) => Effect.Effect<boolean, StorageError>,
    ) {
      // Storages reject other ids.
      if (!Number.isSafeInteger(id) || id < 1) return yield* new DeadLetterNotFound({ id })
      yield* transaction(
        Effect.gen(function* () {
          if (!(yield* change(id))) return yield* new DeadLetterNotFound({ id })
        }),
      )
    })

    /**
     * Retries all current dead letters. Returns their number. Goes from newest to oldest: a payload that fails again
     * becomes a newer one, so each is retried once.
     */
    const retryAll = Effect.fn("DeadLetters.retryAll")(function* (
      _allowed: AuthorizedInstance<"ingest.retry">,
    ) {
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
      const { items, nextCursor } = yield* pending.listDeadLetters({ limit: retriedAtOnce, cursor })
      // Concurrent calls may retry them too.
      const taken = yield* Effect.filter(items, ({ id }) => pending.retryDeadLetter(id))
      return { count: taken.length, nextCursor }
    })

    return { list, summary, retry, retryAll, discard }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** In one transaction. */
const retriedAtOnce = 100
