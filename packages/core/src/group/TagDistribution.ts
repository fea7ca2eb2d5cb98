/** Tag distributions over the reports of a group. The limits bound the reads. */

/** A value of a tag. */
export interface TagValue {
  readonly value: string
  /** Number of the group's reports with this value. */
  readonly reportsCount: number
}

/** The values of a tag among the reports of a group. */
export interface TagDistribution {
  readonly key: string
  /** Reports with one of the counted values. */
  readonly reportsCount: number
  /** At most `maxCountedValues`. */
  readonly valuesCount: number
  /** True if more values exist than are counted. */
  readonly valuesCountCapped: boolean
  /** The most frequent values, at most `maxTopValues`. */
  readonly values: ReadonlyArray<TagValue>
}

/** Keys shown per group besides the reserved ones, in alphabetical order. */
export const maxShownKeys = 100
/** Values counted per key. */
export const maxCountedValues = 1_000
/** Values listed per key in a distribution. */
export const maxTopValues = 10
/** Values per key that are sorted by count. */
export const maxSortedValues = 10_000
/** Suggestions per prefix. */
export const maxCompletions = 25
