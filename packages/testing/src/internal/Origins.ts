/** Changes the source map origins of a project as the system actor. */
import { AccessPolicy, Actor, CurrentActor, type ProjectId, SourcemapOrigins } from "@errata/core"
import { Effect, Layer } from "effect"

export const withOrigins = <A, E, R>(
  projectId: ProjectId,
  use: (
    origins: SourcemapOrigins["Service"],
    project: AccessPolicy.AuthorizedProject<"project.administer">,
  ) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    return yield* use(yield* SourcemapOrigins, yield* access.project("project.administer", projectId))
  }).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

// internal

const services = Layer.provideMerge(SourcemapOrigins.Default, AccessPolicy.layer)
