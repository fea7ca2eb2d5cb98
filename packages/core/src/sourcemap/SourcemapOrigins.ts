import { Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { isStorable, notStorable } from "../validation/StorableText.js"
import { taken, ValidationError } from "../validation/ValidationError.js"
import { canonicalOrigin } from "./CanonicalOrigin.js"
import { OriginArrivals } from "./OriginArrivals.js"
import { SourcemapOriginId } from "./SourcemapOrigin.js"
import { SourcemapStore } from "./SourcemapStore.js"

/** The project has no such origin. */
export class SourcemapOriginNotFound extends Schema.TaggedError<SourcemapOriginNotFound>()(
  "SourcemapOriginNotFound",
  { originId: SourcemapOriginId },
) {}

/** The origins from which hosted maps of a project may be fetched. */
export class SourcemapOrigins extends Context.Service<SourcemapOrigins>()(
  "@errata/core/sourcemap/SourcemapOrigins",
  {
    make: Effect.gen(function* () {
      const { maxSourcemapOrigins } = yield* ErrataConfig
      const transaction = yield* Transactions.make
      const origins = yield* SourcemapStore
      const arrivals = yield* OriginArrivals

      /** Newest first. */
      const list = Effect.fn("SourcemapOrigins.list")(function* (
        { project }: AuthorizedProject<"project.inspect">,
        page: Page.PageRequest,
      ) {
        return yield* origins.listOrigins(project.id, yield* Page.checked(page))
      })

      /** Adds an origin in its canonical form. */
      const create = Effect.fn("SourcemapOrigins.create")(function* (
        { project }: AuthorizedProject<"project.administer">,
        text: string,
      ) {
        yield* ValidationError.ensure({ origin: isStorable(text) ? null : notStorable })
        const origin = yield* Effect.fromResult(
          Result.mapError(canonicalOrigin(text), (reason) => ValidationError.of("origin", reason)),
        )
        return yield* transaction(
          Effect.gen(function* () {
            if ((yield* origins.lockOriginCount(project.id)) >= maxSourcemapOrigins) {
              return yield* ValidationError.of(
                "origin",
                `can't be added: a project has at most ${maxSourcemapOrigins} origins`,
              )
            }
            const created = yield* origins.insertOrigin(project.id, origin, yield* DateTime.now)
            const added = yield* Effect.fromOption(created, () => ValidationError.of("origin", taken))
            yield* arrivals.authorized(project.id)
            return added
          }),
        )
      })

      /** Removes an origin and everything that was fetched from it. */
      const remove = Effect.fn("SourcemapOrigins.remove")(function* (
        { project }: AuthorizedProject<"project.administer">,
        id: SourcemapOriginId,
      ) {
        const isRemoved = yield* transaction(origins.removeOrigin(project.id, id))
        if (!isRemoved) return yield* new SourcemapOriginNotFound({ originId: id })
      })

      return { list, create, remove }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}
