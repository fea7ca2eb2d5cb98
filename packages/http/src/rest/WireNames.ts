/** What the REST contract calls the fields that the core's messages stand at. */

/** Where it is another word; all else is the core's own in snake case. */
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

/** Messages by the contract's fields. */
export const wireErrors = (
  errors: Readonly<Record<string, ReadonlyArray<string>>>,
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(Object.entries(errors).map(([field, messages]) => [wireName(field), messages]))
