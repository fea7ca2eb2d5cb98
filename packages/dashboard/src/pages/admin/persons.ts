/** The search among people, and the last admin. */
import type { User } from "@errata/api/promise"

/** Returns the people whose name or address contains the text. */
export const found = (people: ReadonlyArray<User>, text: string): ReadonlyArray<User> => {
  const wanted = text.trim().toLowerCase()
  return people.filter(({ email_address, name }) =>
    `${name}\n${email_address}`.toLowerCase().includes(wanted),
  )
}

/** The server keeps the last admin: there must be someone who can change people. */
export const isLastAdmin = ({ role }: Pick<User, "role">, people: ReadonlyArray<User>): boolean =>
  role === "admin" && people.filter((other) => other.role === "admin").length === 1
