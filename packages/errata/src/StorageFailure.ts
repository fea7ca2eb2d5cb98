/** Messages for storages that cannot be opened. */
import type { StorageError } from "@errata/core"

export interface StorageFailure {
  readonly message: string
  readonly cause: unknown
}

export const explained = ({ cause, operation, reason }: StorageError): StorageFailure => {
  const said = saidBy(cause)
  const code = codeOf(cause)
  const [, answer] = answers.find(([codes]) => codes.test(code)) ?? []
  if (answer !== undefined) return { message: `${answer}: ${said}`, cause }
  if (reason === "unavailable") {
    const isSilent = /^E[A-Z_]{3,}$/.test(code) || /connection|timed? ?out/i.test(said)
    return { message: `${isSilent ? unreachable : "connecting to the database failed"}: ${said}`, cause }
  }
  if (operation === "open") return { message: `the database cannot be used: ${said}`, cause }
  return operation === "migrate"
    ? { message: `the schema could not be migrated: ${said}`, cause }
    : { message: `the database rejected the operation (${operation}): ${said}`, cause }
}

// internal

const unreachable = "the database cannot be reached"

/** Refusals of a server that was reached, by their SQLSTATE. */
const answers: ReadonlyArray<readonly [RegExp, string]> = [
  [/^28...$/, "the database rejected the user name or the password"],
  [/^3D000$/, "the database does not exist"],
  [/^42501$/, "the role of the database lacks rights, which docs/postgresql.md lists"],
  [/^25006$/, "the database is read-only"],
  [/^53300$/, "the database has no free connection"],
]

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : ""

/** Node tries every address of a name, and has a message for each. */
const saidBy = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(saidBy).join(", ")
  return cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
}
