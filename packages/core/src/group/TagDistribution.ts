/** The distribution of tags over the reports of a group. Only so many keys and values are read. */

/** A value of a tag. */
export interface TagValue {
  readonly value: string
  /** How many reports of the group have it. */
  readonly reportsCount: number
}

/** The values of a tag among the reports of a group. */
export interface TagDistribution {
  readonly key: string
  /** Of the values that are counted. */
  readonly reportsCount: number
  /** At most `maxCountedValues`. */
  readonly valuesCount: number
  /** True if more values exist than are counted. */
  readonly valuesCountCapped: boolean
  /** The most frequent values, at most `maxTopValues`. */
  readonly values: ReadonlyArray<TagValue>
}

/** Keys of a group that are shown beside the reserved ones, the first in the alphabet. */
export const maxShownKeys = 100
/** Values of one key that are counted. */
export const maxCountedValues = 1_000
/** Values of one key that a distribution lists. */
export const maxTopValues = 10
/** Values of one key that are sorted by their counts. */
export const maxSortedValues = 10_000
/** Values that complete a prefix. */
export const maxCompletions = 25
