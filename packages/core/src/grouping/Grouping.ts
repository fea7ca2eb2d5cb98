/**
 * What decides to which group a report belongs: a key, and the evidence it was made of.
 */
import { Schema } from "effect"

export const GroupingAlgorithm = Schema.Literal("v1", "v2")
export type GroupingAlgorithm = typeof GroupingAlgorithm.Type

/** The evidence of a grouping key, as shown on a group. */
export const GroupingData = Schema.Union(
  Schema.Struct({ method: Schema.Literal("exception"), type: Schema.String, value: Schema.String }),
  Schema.Struct({ method: Schema.Literal("backtrace"), frames: Schema.Array(Schema.String) }),
  Schema.Struct({ method: Schema.Literal("message"), message: Schema.String }),
  Schema.Struct({ method: Schema.Literal("custom"), fingerprint: Schema.Array(Schema.String) }),
  Schema.Struct({ method: Schema.Literal("ungroupable") }),
)
export type GroupingData = typeof GroupingData.Type

export interface Grouping {
  readonly algorithm: GroupingAlgorithm
  /** SHA-256 in 64 lowercase hexadecimal characters, unique within a project and algorithm. */
  readonly key: string
  readonly data: GroupingData
}

/** The form in which a fingerprint is shown: `v2:HEX`. */
export const fingerprint = (grouping: Pick<Grouping, "algorithm" | "key">): string =>
  `${grouping.algorithm}:${grouping.key}`
