/** Has reports looked at again that what was uploaded may help. */
import { DateTime, Effect, Layer } from "effect"
import { ArtifactArrivals } from "../artifact/ArtifactArrivals.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { SourcemapReportStore } from "./SourcemapReportStore.js"

/** In the transaction that makes the files available. */
export const layer: Layer.Layer<never, never, SourcemapReportStore> = Layer.effect(
  ArtifactArrivals,
  Effect.gen(function* () {
    const { sourcemaps: settings } = yield* ErrataConfig
    const store = yield* SourcemapReportStore
    const bounds = { maxAge: settings.requeueAge, limit: settings.requeueLimit }
    return {
      arrived: ({ debugIds, projectId, release }) =>
        Effect.flatMap(DateTime.now, (now) => store.requeue(projectId, { debugIds, release }, bounds, now)),
    }
  }),
)
