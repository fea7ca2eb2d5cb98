/** Fields of an event that are counted with the tags of its group. Without imports: a browser reads searches with them. */

/** Under which key the tag of each field is found. */
export const reservedTags = {
  serverName: "server_name",
  environment: "environment",
  release: "release",
} as const

/** Tags of an event's user. They are filters of their own, also where no event has had one. */
export const userTags = ["user.id", "user.email", "user.ip"] as const

export type ReservedField = keyof typeof reservedTags

export const reservedFields = Object.keys(reservedTags) as ReadonlyArray<ReservedField>

/** The field whose tag has the key; undefined for all other keys. */
export const reservedFieldOf = (key: string): ReservedField | undefined => fields.get(key)

// internal

const fields = new Map<string, ReservedField>(reservedFields.map((field) => [reservedTags[field], field]))
