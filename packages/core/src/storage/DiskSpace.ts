/** How much room there is where the database keeps its files. */
import { Context, Data, type Effect } from "effect"

/** Of the file system that holds the database. */
export interface DiskUse {
  readonly totalBytes: number
  /** What may still be written: not what is kept for the system's administrator. */
  readonly freeBytes: number
}

/** The file system is not this host's, or does not answer. */
export class DiskUnmeasurable extends Data.TaggedError("DiskUnmeasurable")<{
  /** For the log. */
  readonly reason: string
  /**
   * `elsewhere` where the database may be on another host and nobody has said how to measure there, `no_disk` where
   * nothing is kept on a disk. Without it the file system should be measurable, and is not.
   */
  readonly why?: "elsewhere" | "no_disk"
}> {}

/** Measures the disk that holds the data. */
export class DiskSpace extends Context.Service<
  DiskSpace,
  {
    /** Measured at each call. */
    readonly measure: Effect.Effect<DiskUse, DiskUnmeasurable>
  }
>()("@errata/core/storage/DiskSpace") {}
