/** The answers of a port that stores nothing. */
import { Data, Effect } from "effect"
import { StorageError } from "../storage/StorageError.js"

export const none = () => Effect.succeedNone
export const empty = () => Effect.succeed([])
export const emptyPage = () => Effect.succeed({ items: [], nextCursor: null })
export const zero = () => Effect.succeed(0)
export const no = () => Effect.succeed(false)
export const done = () => Effect.void

/** The storage does not support the part of Errata that a call needs. */
export class PortAbsent extends Data.TaggedError("PortAbsent")<{
  /** The part of Errata for people, e.g. `source maps`. */
  readonly part: string
  /** The port and its member, e.g. `TargetStore.insert`. */
  readonly member: string
}> {
  override get message() {
    return `The storage does not support ${this.part} (${this.member})`
  }
}

/** Fails with the names of the part and of the member. */
export const refusedBy = (part: string) => (member: string) => () =>
  Effect.fail(
    new StorageError({ operation: member, reason: "rejected", cause: new PortAbsent({ part, member }) }),
  )

/** The part of Errata that the storage leaves out, e.g. `source maps`. Null if the error has another cause. */
export const absentPart = ({ cause }: StorageError): string | null =>
  cause instanceof PortAbsent ? cause.part : null
