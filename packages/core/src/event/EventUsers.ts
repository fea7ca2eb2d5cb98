/** The user of an event as a number, which distinguishes users without identifying them. */
import { hash } from "node:crypto"
import type { EventUser } from "./ErrorEvent.js"

/** Hashes are below this. */
export const hashSpace = 2 ** 48

/** By the first of these that an event has: a user without an id is known by their email address, and so on. */
const fields = ["user_id", "email", "username", "ip_address"] as const

/** The hash of an event's user, which is another one in another project; null where the event has none. */
export const userHashOf = (projectId: number, user: EventUser): number | null => {
  for (const field of fields) {
    if (user[field] !== "")
      return hash("sha256", `${projectId}/${field}/${user[field]}`, "buffer").readUIntBE(0, 6)
  }
  return null
}
