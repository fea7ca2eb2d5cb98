import { Schema } from "effect"

/**
 * A storage operation failed.
 *
 * - `unavailable`: the storage is unreachable or full; a retry may succeed later.
 * - `conflict`: another transaction won a race; a retry may succeed at once.
 * - `rejected`: the storage rejects the data or the statement; a retry fails too.
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
