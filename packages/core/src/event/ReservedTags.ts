/** Event fields that are counted with the tags of a group. No imports: the browser parses searches with this module. */

/** The tag key of each field. */
export const reservedTags = {
  serverName: "server_name",
  environment: "environment",
  release: "release",
} as const

/** Tag keys of an event's user. They are valid filters even if no event has had such a tag. */
export const userTags = ["user.id", "user.email", "user.ip"] as const

export type ReservedField = keyof typeof reservedTags

export const reservedFields = Object.keys(reservedTags) as ReadonlyArray<ReservedField>

/** The field that a tag key is reserved for, if any. */
export const reservedFieldOf = (key: string): ReservedField | undefined => fields.get(key)

// internal

const fields = new Map<string, ReservedField>(reservedFields.map((field) => [reservedTags[field], field]))
