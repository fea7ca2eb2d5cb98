/** Tracks the free space of the database's disk, and logs changes that affect intake. */
import { Effect } from "effect"
import type { IngestProtection } from "../policy/Policy.js"
import { type DiskSpace, DiskUnmeasurable, type DiskUse } from "../storage/DiskSpace.js"

export interface DiskReading {
  /**
   * `unseen`: no measurement is expected, because the database is elsewhere or not on a disk. `unmeasurable`: the
   * measurement failed. Neither pauses the intake.
   */
  readonly state: "measured" | "unmeasurable" | "unseen"
  /** Null unless measured. */
  readonly use: DiskUse | null
  readonly reason: string
  readonly why?: DiskUnmeasurable["why"]
}

/** Measures the disk. A file system that does not respond is reported as unmeasurable. */
export const read = (diskSpace: DiskSpace["Service"]): Effect.Effect<DiskReading> =>
  diskSpace.measure.pipe(
    Effect.timeoutOrElse({
      duration: "2 seconds",
      orElse: () => Effect.fail(new DiskUnmeasurable({ reason: "the file system does not respond" })),
    }),
    Effect.match({
      onSuccess: (use): DiskReading => ({ state: "measured", use, reason: "" }),
      onFailure: ({ reason, why }): DiskReading =>
        why === undefined ? { state: "unmeasurable", use: null, reason } : { ...unseen, why, reason },
    }),
  )

/** Bytes that must stay free. */
export const floorOf = ({ minimumFreeDiskSpaceMb }: IngestProtection): number =>
  minimumFreeDiskSpaceMb * 1024 * 1024

export class DiskWatch {
  reading: DiskReading = unseen
  isFull = false
  isLow = false
  private isUnprotected = false

  /** Applies a reading. The effect logs the start and the end of a pause, of a low disk and of a failed measurement. */
  update(reading: DiskReading, policy: IngestProtection): Effect.Effect<void> {
    const { isFull, isLow, isUnprotected } = this
    const { diskProtectionEnabled } = policy
    this.reading = reading
    this.isFull = diskProtectionEnabled && reading.use !== null && reading.use.freeBytes < floorOf(policy)
    if (!diskProtectionEnabled) this.isLow = false
    else if (reading.use !== null) this.isLow = isLowOn(reading.use, floorOf(policy), isLow)
    this.isUnprotected = diskProtectionEnabled && reading.state !== "measured" && reading.why !== "no_disk"
    return Effect.all(
      [
        // Without protection, the disk may be as low as before.
        this.isLow === isLow || !diskProtectionEnabled ? Effect.void : logLow(this.isLow, reading, policy),
        this.isFull === isFull ? Effect.void : this.isFull ? logPaused : logResumed(diskProtectionEnabled),
        this.isUnprotected && !isUnprotected ? logUnprotected(reading) : Effect.void,
      ],
      { discard: true },
    )
  }
}

// internal

const unseen: DiskReading = { state: "unseen", use: null, reason: "" }

/**
 * A disk is low below four times the floor, or below half of its size if that is less. The state ends a tenth above, so
 * that a disk at the limit is logged once.
 */
const isLowOn = ({ freeBytes, totalBytes }: DiskUse, floor: number, wasLow: boolean): boolean =>
  freeBytes < Math.min(4 * floor, totalBytes / 2) * (wasLow ? 1.1 : 1)

const logLow = (isLow: boolean, { use }: DiskReading, policy: IngestProtection) =>
  (isLow
    ? Effect.logWarning("The database's disk is low. Free space on it, or keep errors for fewer days.")
    : Effect.logInfo("The database's disk has enough free space again")
  ).pipe(Effect.annotateLogs({ freeBytes: use?.freeBytes ?? null, intakePausesBelowBytes: floorOf(policy) }))

const logPaused = Effect.logWarning("The intake is paused: the database's disk has too little free space")
const logResumed = (isProtected: boolean) =>
  isProtected
    ? Effect.logInfo("The intake resumed: the database's disk has enough free space")
    : Effect.logInfo("The intake resumed: disk protection is off")

const logUnprotected = ({ reason }: DiskReading) =>
  Effect.annotateLogs(
    Effect.logWarning("The database's disk cannot be measured, so low disk space does not pause the intake"),
    { reason },
  )
