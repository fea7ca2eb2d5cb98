/** Hashes the user of an event, to count users without identifying them. */
import { hash } from "node:crypto"
import type { EventUser } from "./ErrorEvent.js"

/** Exclusive upper bound of user hashes. */
export const hashSpace = 2 ** 48

/** The first of these fields that is not empty identifies the user. */
const fields = ["user_id", "email", "username", "ip_address"] as const

/** The hash of an event's user, different in each project; null if the event has no user. */
export const userHashOf = (projectId: number, user: EventUser): number | null => {
  for (const field of fields) {
    if (user[field] !== "")
      return hash("sha256", `${projectId}/${field}/${user[field]}`, "buffer").readUIntBE(0, 6)
  }
  return null
}
