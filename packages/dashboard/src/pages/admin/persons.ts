/** Searches users, and finds the last admin. */
import type { User } from "@errata/api/promise"

/** Returns the users whose name or address contains the text. */
export const found = (people: ReadonlyArray<User>, text: string): ReadonlyArray<User> => {
  const wanted = text.trim().toLowerCase()
  return people.filter(({ email_address, name }) =>
    `${name}\n${email_address}`.toLowerCase().includes(wanted),
  )
}

/** The server keeps the last admin, since only admins can change users. */
export const isLastAdmin = ({ role }: Pick<User, "role">, people: ReadonlyArray<User>): boolean =>
  role === "admin" && people.filter((other) => other.role === "admin").length === 1
