/** Field names of the REST contract for the core's messages. */

/** The names that differ. All others are the core's in snake case. */
const others: Readonly<Record<string, string>> = {
  assigneeId: "user_id",
  lastOccurredFrom: "since",
  lastOccurredTo: "until",
  until: "snooze_until",
}

export const wireName = (field: string): string =>
  Object.hasOwn(others, field)
    ? others[field]!
    : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames the fields of messages. */
export const wireErrors = (
  errors: Readonly<Record<string, ReadonlyArray<string>>>,
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(Object.entries(errors).map(([field, messages]) => [wireName(field), messages]))
