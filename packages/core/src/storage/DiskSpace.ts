/** Measures free space where the database keeps its files. */
import { Context, Data, type Effect } from "effect"

/** The file system of the database. */
export interface DiskUse {
  readonly totalBytes: number
  /** Available to normal processes, without the blocks reserved for root. */
  readonly freeBytes: number
}

/** The file system is on another host, or does not respond. */
export class DiskUnmeasurable extends Data.TaggedError("DiskUnmeasurable")<{
  /** Written to the log. */
  readonly reason: string
  /**
   * `elsewhere` if the database may be on another host and no path is configured, `no_disk` if nothing is stored on a
   * disk. Undefined if measuring failed.
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
