/** Storage maintenance. */
import { Duration, Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { StorageUpkeep } from "../storage/StorageUpkeep.js"
import type { Job } from "./Job.js"

export const job: Job<StorageUpkeep> = {
  name: "prepare-storage",
  // Storages prepare weeks ahead.
  interval: () => Duration.hours(1),
  run: Effect.flatMap(StorageUpkeep, ({ prepare }) => prepare),
}

/** Moves bodies of old reports to the object store. */
export const archiving: Job<StorageUpkeep> = {
  name: "archive-bodies",
  interval: () => Duration.hours(1),
  run: Effect.gen(function* () {
    const { archiveAfterWeeks } = yield* ErrataConfig
    const { archive } = yield* StorageUpkeep
    yield* archive(archiveAfterWeeks === 0 ? null : archiveAfterWeeks)
  }),
}
