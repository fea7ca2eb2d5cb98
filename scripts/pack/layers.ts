// Exports layers composed of Errata's without type annotations, as applications do. The compiler must be able to name
// all their types in declarations, although the project does not depend on the internal packages directly.
import { AccessPolicy, GroupFilter, Groups, ProjectId, Reports, Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer } from "effect"
import { createErrata, memory } from "errata"
import { Capture, Errata, FirstProject, settled } from "errata/effect"

export const storage = MemoryStorage.layer
export const open = Errata.layer({ project: "Shop" })
export const whole = open.pipe(Layer.provideMerge(storage))
export const closed = open.pipe(Layer.provide(storage))
export const services = Errata.layerServices()
export const workers = Errata.layerWorkers.pipe(Layer.provideMerge(services))
export const core = Services.layer.pipe(Layer.provideMerge(SentryPayloadDecoder.layer()))
export const coreWorkers = Services.layerWorkers
export const capture = Effect.map(Capture, ({ capture }) => capture)
export const project = Effect.map(FirstProject, ({ id }) => id)
export const recorded = settled
export const listed = Effect.gen(function* () {
  const groups = yield* Groups
  const allowed = yield* AccessPolicy.project("groups.read", ProjectId.make(1))
  return yield* groups.list(allowed, GroupFilter.all, { limit: 25, cursor: null })
})
export const readers = Effect.all({ groups: Groups, reports: Reports })
export const access = { ...AccessPolicy.defaultRules }

export const errata = createErrata({ storage: memory() })
export const groups = async () => (await errata).groups.list((await errata).project.id)
export const releases = async () => (await errata).releases.list((await errata).project.id)
