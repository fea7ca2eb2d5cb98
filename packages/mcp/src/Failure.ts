/** Turns errors of the core into messages that a model can act on. */
import type {
  AccessDenied,
  GroupNotFound,
  NotAccessible,
  NoteNotFound,
  ProjectNotFound,
  ReportNotFound,
  StorageError,
  ValidationError,
} from "@errata/core"
import { absentPart, StorageOutage } from "@errata/core/internal"
import { Cause, Data, Effect } from "effect"

/** An error result of a tool. */
export class Failure extends Data.TaggedError("Failure")<{ readonly message: string }> {}

/** The requested object does not exist, or the caller cannot see it. */
export class Missing extends Failure {}

export type CoreError =
  | AccessDenied
  | GroupNotFound
  | NotAccessible
  | NoteNotFound
  | ProjectNotFound
  | ReportNotFound
  | StorageError
  | ValidationError
  | Failure

/** Names of arguments by their names in the core. */
export type ArgumentNames = Readonly<Record<string, string>>

/**
 * Maps errors of the core to failures. A statement that the storage rejects is a defect, unless the storage leaves out the
 * part.
 */
export const toFailure =
  (names: ArgumentNames) =>
  <A, R>(effect: Effect.Effect<A, CoreError, R>): Effect.Effect<A, Failure, R> =>
    Effect.catch(effect, (error) => failureOf(error, { ...commonNames, ...names }))

/** The same message for objects that do not exist and objects that the caller cannot see. */
export const notFound = (what: string, id: number | string): string =>
  `${what.charAt(0).toUpperCase()}${what.slice(1)} ${id} not found or access denied`

// internal

const failureOf = (error: CoreError, names: ArgumentNames): Effect.Effect<never, Failure> => {
  switch (error._tag) {
    case "Failure":
      return error
    case "NotAccessible":
      return new Missing({ message: notFound(error.what, error.id) })
    case "ProjectNotFound":
      return new Missing({ message: notFound("project", error.projectId) })
    case "GroupNotFound":
      return new Missing({
        message:
          error.mergedIntoId === null
            ? notFound("group", error.groupId)
            : `Group ${error.groupId} was merged into group ${error.mergedIntoId}. Use group ${error.mergedIntoId}.`,
      })
    case "ReportNotFound":
      return new Missing({ message: notFound("report", error.report) })
    case "NoteNotFound":
      return new Missing({ message: notFound("note", error.noteId) })
    case "AccessDenied":
      return new Failure({
        message:
          error.missingGrant === null
            ? `Forbidden: your user does not have the permission ${error.rule}`
            : `Forbidden: your credential does not grant ${error.missingGrant} access`,
      })
    case "ValidationError":
      return new Failure({ message: invalid(error.errors, names) })
    case "StorageError":
      return storageFailures[error.reason](error)
  }
}

const busy = new Failure({ message: "The storage is unavailable. Try again later." })

const storageFailures: Readonly<
  Record<StorageError["reason"], (error: StorageError) => Effect.Effect<never, Failure>>
> = {
  unavailable: (error) =>
    Effect.andThen(
      Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
        outage.logFailure("The storage is unavailable", Cause.fail(error)),
      ),
      busy,
    ),
  conflict: (error) =>
    Effect.andThen(
      Effect.logWarning("A tool call conflicted with other changes on every attempt", Cause.fail(error)),
      new Failure({ message: "The call conflicted with other changes. Try again." }),
    ),
  rejected: (error) => {
    const part = absentPart(error)
    return part === null
      ? Effect.die(error)
      : Effect.fail(new Failure({ message: `The storage does not support ${part}.` }))
  },
}

const commonNames: ArgumentNames = {
  lastOccurredFrom: "since",
  lastOccurredTo: "until",
  assigneeId: "user_id",
  groupIds: "group_ids",
  until: "snooze_until",
  range: "since or until",
}

const invalid = (errors: Readonly<Record<string, ReadonlyArray<string>>>, names: ArgumentNames): string =>
  `Invalid arguments: ${Object.entries(errors)
    .map(([field, messages]) => `${names[field] ?? field} ${messages.join(", ")}`)
    .join("; ")}`
