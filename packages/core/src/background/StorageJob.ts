/** Has the storage prepare for what is to come. */
import { Duration, Effect } from "effect"
import { StorageUpkeep } from "../storage/StorageUpkeep.js"
import type { Job } from "./Job.js"

export const job: Job<StorageUpkeep> = {
  name: "prepare-storage",
  // Storages prepare for weeks.
  interval: () => Duration.hours(1),
  run: Effect.flatMap(StorageUpkeep, ({ prepare }) => prepare),
}
