/** Storage maintenance. */
import { Duration, Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { Storage } from "../storage/Storage.js"
import type { Job } from "./Job.js"

export const job: Job<Storage> = {
  name: "prepare-storage",
  // Storages prepare weeks ahead.
  interval: () => Duration.hours(1),
  run: Effect.flatMap(Storage, ({ prepare }) => prepare),
}

/** Moves bodies of old reports to the object store. */
export const archiving: Job<Storage> = {
  name: "archive-bodies",
  interval: () => Duration.hours(1),
  run: Effect.gen(function* () {
    const { archiveAfterWeeks } = yield* ErrataConfig
    const { archive } = yield* Storage
    yield* archive(archiveAfterWeeks === 0 ? null : archiveAfterWeeks)
  }),
}
