/** Why a storage cannot be opened, in words for people. */
import type { StorageError } from "@errata/core"

export interface StorageFailure {
  readonly message: string
  readonly cause: unknown
}

export const explained = ({ cause, operation, reason }: StorageError): StorageFailure => {
  const said = cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
  if (reason === "unavailable") return { message: `the database cannot be reached: ${said}`, cause }
  return operation === "migrate"
    ? { message: `the schema could not be migrated: ${said}`, cause }
    : { message: `the database rejected the operation (${operation}): ${said}`, cause }
}
