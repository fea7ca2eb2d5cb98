import { Context, Effect, Layer } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { Policies } from "../policy/Policies.js"
import * as Page from "../storage/Page.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type RetentionKind, type RetentionRunId, RetentionRunNotFound } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"

/** Lists and starts retention runs, for admins. */
export class Retention extends Context.Service<Retention>()("@errata/core/retention/Retention", {
  make: Effect.gen(function* () {
    const store = yield* RetentionStore
    const policies = yield* Policies

    /** Newest first. */
    const list = Effect.fn("Retention.list")(function* (
      _allowed: AuthorizedInstance<"policies.read">,
      page: Page.PageRequest,
    ) {
      return yield* store.list(yield* Page.checked(page))
    })

    const get = Effect.fn("Retention.get")(function* (
      _allowed: AuthorizedInstance<"policies.read">,
      id: RetentionRunId,
    ) {
      const found = yield* store.find(id)
      return yield* Effect.fromOption(found, () => new RetentionRunNotFound({ runId: id }))
    })

    /**
     * Requests a run, which a worker starts within seconds. Returns the waiting or running one of the kind, if any,
     * because it deletes the same data.
     */
    const request = Effect.fn("Retention.request")(function* (
      { actor }: AuthorizedInstance<"policies.administer">,
      kind: RetentionKind,
    ) {
      const { enabled } = yield* policies.inForce(policyOf[kind])
      if (!enabled) return yield* ValidationError.of("enabled", retentionIsOff[kind])
      return yield* store.request(kind, "requested", userIdOf(actor))
    })

    return { list, get, request }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const policyOf = { errors: "errorRetention", artifacts: "artifactRetention" } as const

const retentionIsOff = {
  errors: "must be true to start a run, because disabled error retention deletes nothing",
  artifacts: "must be true to start a run, because disabled artifact retention deletes nothing",
}
