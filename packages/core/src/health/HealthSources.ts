/**
 * Health facts from outside the storage. Each member belongs to one part of the instance and is provided with it; the
 * defaults pass their checks. An effect fails if it needs the storage while that is unreachable.
 *
 * | member | checks | provided by |
 * |---|---|---|
 * | `notifies` | `dispatcher_stale`, and notifications in `jobs_stalled` | the dispatcher |
 * | `areSecretsReadable` | `encryption_key_invalid` | the encryption of secrets |
 * | `intakePausedBy` | `intake_paused_disk`, `intake_paused_queue` | ingest protection |
 * | `disk` | `disk_unmeasurable`, `disk_below_floor` | ingest protection |
 */
import { Context, Effect, Layer } from "effect"
import { Keyring } from "../encryption/Keyring.js"
import { IntakeGuard, type IntakeState } from "../ingest/IntakeGuard.js"
import * as TargetSecret from "../notification/TargetSecret.js"
import { TargetStore } from "../notification/TargetStore.js"

/** Why ingest is paused. A rate limit does not pause it. */
export type IntakePause = "disk" | "queue"

/** State of the file system that holds the database. */
export type DiskFinding =
  | {
      readonly _tag: "Measured"
      readonly freeBytes: number
      readonly floorBytes: number
      /** True long before the floor is reached, so that an operator can act. */
      readonly isLow: boolean
    }
  /** The measurement failed. */
  | { readonly _tag: "Unmeasurable" }
  /** Not measured: the protection is off, or the database is on another host. */
  | { readonly _tag: "Unwatched" }

export interface HealthSourcesService {
  /** True if some node should dispatch webhooks. */
  readonly notifies: boolean
  /** Checks whether all stored secrets can be decrypted with the configured keys. */
  readonly areSecretsReadable: Effect.Effect<boolean, unknown>
  readonly intakePausedBy: Effect.Effect<IntakePause | null, unknown>
  readonly disk: Effect.Effect<DiskFinding, unknown>
}

export const HealthSources = Context.Reference("@errata/core/health/HealthSources", {
  defaultValue: (): HealthSourcesService => ({
    notifies: false,
    areSecretsReadable: Effect.succeed(true),
    intakePausedBy: Effect.succeed(null),
    disk: Effect.succeed({ _tag: "Unwatched" }),
  }),
})

/** Health facts from the services of an instance. */
export const layer: Layer.Layer<never, never, IntakeGuard | TargetStore> = Layer.effect(
  HealthSources,
  Effect.gen(function* () {
    const guard = yield* IntakeGuard
    const targets = yield* TargetStore
    const keyring = yield* Keyring
    return {
      notifies: true,
      areSecretsReadable: TargetSecret.areReadable.pipe(
        Effect.provideService(TargetStore, targets),
        // The keys of the instance, not those of the caller's context.
        Effect.provideService(Keyring, keyring),
      ),
      intakePausedBy: guard.state.pipe(
        Effect.map(({ pausedBy }) => pausedBy),
        // An unreachable storage has its own check.
        Effect.orElseSucceed(() => null),
      ),
      disk: guard.state.pipe(
        Effect.map(diskFinding),
        Effect.orElseSucceed(() => unwatched),
      ),
    }
  }),
)

// internal

const unwatched: DiskFinding = { _tag: "Unwatched" }

const diskFinding = ({ disk, diskFloor, diskUse, isDiskLow }: IntakeState): DiskFinding => {
  if (diskFloor === null || disk === "unseen") return unwatched
  return diskUse === null
    ? { _tag: "Unmeasurable" }
    : { _tag: "Measured", freeBytes: diskUse.freeBytes, floorBytes: diskFloor, isLow: isDiskLow }
}
