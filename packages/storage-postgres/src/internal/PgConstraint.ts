import type { SqlError } from "effect/sql"
import * as Distribution from "./Distribution.js"
import { causeOf, sqlState } from "./SqlState.js"

/** Returns whether a statement violated the unique index of this name. */
export const isTaken =
  (index: string) =>
  (error: SqlError.SqlError): boolean => {
    const cause = causeOf(error)
    return isUniqueViolation(cause) && Distribution.isOfIndex(cause, index)
  }

/** Returns whether a statement violated any unique index. */
export const isUniqueViolation = (cause: unknown): boolean => sqlState(cause) === uniqueViolation

// internal

const uniqueViolation = "23505"
