/** The grouping of a report: its key, and the evidence for it. */
import { Schema } from "effect"

/** The version of the grouping rules. New groups get `v2`; only imported ones have `v1`. */
export const GroupingAlgorithm = Schema.Literals(["v1", "v2"])
export type GroupingAlgorithm = typeof GroupingAlgorithm.Type

/** The evidence of a grouping key, as shown on a group. */
export const GroupingData = Schema.Union([
  Schema.Struct({
    method: method("exception", "Type and message of an exception without a useful stack"),
    type: field("Type of the exception", Schema.String),
    value: field("Message of the exception, with placeholders for variable parts", Schema.String),
  }),
  Schema.Struct({
    method: method("backtrace", "Frames of a stack"),
    frames: field("The parts of the frames that group them, in order", Schema.Array(Schema.String)),
  }),
  Schema.Struct({
    method: method("message", "A message"),
    message: field("The message or its template, with placeholders for variable parts", Schema.String),
  }),
  Schema.Struct({
    method: method("custom", "Fingerprint set by the application"),
    fingerprint: field("Components of the fingerprint", Schema.Array(Schema.String)),
  }),
  Schema.Struct({ method: method("ungroupable", "None: each report is a separate group") }),
])
export type GroupingData = typeof GroupingData.Type

/** The grouping of a report: the algorithm, its key in hexadecimal, and the evidence. */
export interface Grouping {
  readonly algorithm: GroupingAlgorithm
  /** SHA-256 in 64 lowercase hexadecimal characters, unique within a project and algorithm. */
  readonly key: string
  readonly data: GroupingData
}

/** The display form of a grouping key: `v2:HEX`. */
export const fingerprint = (grouping: Pick<Grouping, "algorithm" | "key">): string =>
  `${grouping.algorithm}:${grouping.key}`

// internal

function field<A, I>(description: string, schema: Schema.Codec<A, I>) {
  return schema.annotate({ description })
}

function method<const Name extends string>(name: Name, description: string) {
  return field(description, Schema.Literal(name))
}
