/** How often the tags of events come: what lists of groups are filtered by. */
import type { EventSummary } from "./ErrorEvent.js"
import { reservedFieldOf, reservedFields, reservedTags } from "./ReservedTags.js"

/**
 * Counts the tags of an event, by key and value. What an event has besides its tags that groups are filtered by counts as
 * a tag of that name.
 */
export const countTags = (tags: Map<string, Map<string, number>>, event: EventSummary): void => {
  for (const field of reservedFields) {
    if (event[field] !== "") countTag(tags, reservedTags[field], event[field])
  }
  for (const { key, value } of event.tags) {
    const field = reservedFieldOf(key)
    // The field has counted it already.
    if (field === undefined || event[field] !== value || value === "") countTag(tags, key, value)
  }
}

// internal

const countTag = (tags: Map<string, Map<string, number>>, key: string, value: string): void => {
  const values = tags.get(key)
  if (values === undefined) tags.set(key, new Map([[value, 1]]))
  else values.set(value, (values.get(value) ?? 0) + 1)
}
