import type { SqlError } from "effect/sql"
import * as Distribution from "./Distribution.js"
import { causeOf, sqlState } from "./SqlState.js"

/** Whether a statement failed because a unique index of this name has such a row already. */
export const isTaken =
  (index: string) =>
  (error: SqlError.SqlError): boolean => {
    const cause = causeOf(error)
    return isUniqueViolation(cause) && Distribution.isOfIndex(cause, index)
  }

/** Whether a statement failed because some unique index has such a row already. */
export const isUniqueViolation = (cause: unknown): boolean => sqlState(cause) === uniqueViolation

// internal

const uniqueViolation = "23505"
