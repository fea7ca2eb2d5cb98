/** A store for large named objects outside of the database. */
import { Context, type Effect, type Option, Schema } from "effect"

/** A call to an object store failed. The same call may succeed later. */
export class ObjectStoreError extends Schema.TaggedError<ObjectStoreError>()("ObjectStoreError", {
  operation: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message() {
    const said = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `${this.operation}: ${said}`
  }
}

/** Appends bytes to the object that is being written. */
export type AppendObject = (chunk: Uint8Array) => Effect.Effect<void, ObjectStoreError>

/**
 * Names are parts of lower-case letters, digits, `-` and `_`, joined by slashes. An object is written once. Every call
 * has a time limit, and memory is bounded however large an object is.
 */
export interface ObjectStoreService {
  /**
   * Writes an object from what `write` appends, and returns the result of `write`. The object has its name only when all
   * of it is durable. If `write` fails or is interrupted, there is no object.
   */
  readonly put: <A, E, R>(
    name: string,
    write: (append: AppendObject) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | ObjectStoreError, R>
  /** Reads a range of an object. None if there is no such object. The result is shorter if the object ends before. */
  readonly read: (
    name: string,
    offset: number,
    length: number,
  ) => Effect.Effect<Option.Option<Uint8Array>, ObjectStoreError>
  /** Deletes an object, and the remains of an interrupted write. Succeeds if the object does not exist. */
  readonly remove: (name: string) => Effect.Effect<void, ObjectStoreError>
}

/** Null without an object store. Bodies of reports then stay in the database. */
export const ObjectStore = Context.Reference("@errata/core/storage/ObjectStore", {
  defaultValue: (): ObjectStoreService | null => null,
})
