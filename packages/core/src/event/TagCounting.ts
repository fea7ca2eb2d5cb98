/** Counts the tags of events. Lists of groups filter by them. */
import type { EventSummary } from "./ErrorEvent.js"
import { reservedFieldOf, reservedFields, reservedTags } from "./ReservedTags.js"

/** Counts by tag key and value. */
export type TagTally = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Adds an event's tags to the counts. Reserved fields count as tags. */
export const countTags = (tags: Map<string, Map<string, number>>, event: EventSummary): void => {
  for (const field of reservedFields) {
    if (event[field] !== "") countTag(tags, reservedTags[field], event[field])
  }
  for (const { key, value } of event.tags) {
    const field = reservedFieldOf(key)
    // Already counted as a field.
    if (field === undefined || event[field] !== value || value === "") countTag(tags, key, value)
  }
}

/** Adds a tally to another one, or subtracts it if `sign` is -1. Drops counts of zero. */
export const combine = (tally: TagTally, other: TagTally, sign: 1 | -1): TagTally => {
  const combined = new Map<string, Map<string, number>>()
  for (const key of new Set([...tally.keys(), ...other.keys()])) {
    const values = new Map(tally.get(key))
    for (const [value, count] of other.get(key) ?? []) {
      const sum = (values.get(value) ?? 0) + sign * count
      if (sum === 0) values.delete(value)
      else values.set(value, sum)
    }
    if (values.size > 0) combined.set(key, values)
  }
  return combined
}

// internal

const countTag = (tags: Map<string, Map<string, number>>, key: string, value: string): void => {
  const values = tags.get(key)
  if (values === undefined) tags.set(key, new Map([[value, 1]]))
  else values.set(value, (values.get(value) ?? 0) + 1)
}
