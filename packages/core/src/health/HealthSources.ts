/**
 * What health is judged by besides the storage. Each part of an instance that can be in order or not is one member here,
 * and whoever composes the instance provides it; what is not provided is in order. An effect fails if it needs the storage,
 * and that is away.
 *
 * | member | checks that stand on it | provided by |
 * |---|---|---|
 * | `notifies` | `dispatcher_stale`, and notifications in `jobs_stalled` | the dispatcher |
 * | `areSecretsReadable` | `encryption_key_invalid` | the encryption of secrets |
 * | `intakePausedBy` | `intake_paused_disk`, `intake_paused_queue` | the protection of the intake |
 * | `disk` | `disk_unmeasurable`, `disk_below_floor` | the protection of the intake |
 */
import { Context, Effect, Layer } from "effect"
import { Keyring } from "../encryption/Keyring.js"
import { IntakeGuard, type IntakeState } from "../ingest/IntakeGuard.js"
import * as TargetSecret from "../notification/TargetSecret.js"
import { TargetStore } from "../notification/TargetStore.js"

/** What pauses the intake; a rate that is limited is none of it. */
export type IntakePause = "disk" | "queue"

/** Of the file system that the database is on. */
export type DiskFinding =
  | {
      readonly _tag: "Measured"
      readonly freeBytes: number
      readonly floorBytes: number
      /** True long before the floor is reached, for an operator to act. */
      readonly isLow: boolean
    }
  /** It should be measured, and cannot. */
  | { readonly _tag: "Unmeasurable" }
  /** Nobody asks for it: the protection is off, or the database is on another host. */
  | { readonly _tag: "Unwatched" }

export interface HealthSourcesService {
  /** Whether some node is to tell webhooks what happens. */
  readonly notifies: boolean
  /** Whether all stored secrets can be decrypted with the keys in force. */
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

/** All of them, as the services of an instance know it. */
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
        // The keys of whoever composed the instance, and not of whoever asks.
        Effect.provideService(Keyring, keyring),
      ),
      intakePausedBy: guard.state.pipe(
        Effect.map(({ pausedBy }) => pausedBy),
        // A storage that is away has a check of its own.
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
