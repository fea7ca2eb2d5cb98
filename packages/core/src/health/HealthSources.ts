/**
 * What health is judged by besides the storage. Each part of an instance that can be in order or not is one member here,
 * and whoever composes the instance provides it; what is not provided is in order. An effect fails where it has to ask the
 * storage and that is away.
 *
 * | member | checks that stand on it | provided by |
 * |---|---|---|
 * | `notifies` | `dispatcher_stale`, and notifications in `jobs_stalled` | whoever runs a dispatcher of webhooks |
 * | `areSecretsReadable` | `encryption_key_invalid` | whoever encrypts the secrets of webhooks |
 * | `intakePausedBy` | `intake_paused_disk`, `intake_paused_queue` | the protection of the intake |
 * | `disk` | `disk_unmeasurable`, `disk_below_floor` | the protection of the intake |
 */
import { Context, Effect } from "effect"

/** What pauses the intake; a rate that is limited is none of it. */
export type IntakePause = "disk" | "queue"

/** Of the file system that the database is on. */
export type DiskFinding =
  | { readonly _tag: "Measured"; readonly freeBytes: number; readonly floorBytes: number }
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

export class HealthSources extends Context.Reference<HealthSources>()("@errata/core/health/HealthSources", {
  defaultValue: (): HealthSourcesService => ({
    notifies: false,
    areSecretsReadable: Effect.succeed(true),
    intakePausedBy: Effect.succeed(null),
    disk: Effect.succeed({ _tag: "Unwatched" }),
  }),
}) {}
