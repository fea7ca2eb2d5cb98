import { Schema } from "effect"

/**
 * A storage could not do what it was asked.
 *
 * - `unavailable`: it cannot be reached or has no room now; the same call may succeed later.
 * - `conflict`: it lost a race against another transaction; the same transaction may succeed at once.
 * - `rejected`: it refuses these data or this statement; trying again changes nothing.
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "conflict", "rejected"]),
  cause: Schema.Defect(),
}) {
  override get message() {
    return `${this.operation}: storage ${this.reason}`
  }
}
