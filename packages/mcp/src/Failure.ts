/** From what the core says went wrong to the words that a model gets: a result that is an error, which it can act upon. */
import {
  type AccessDenied,
  type GroupNotFound,
  type NotAccessible,
  type NoteNotFound,
  type ProjectNotFound,
  type ReportNotFound,
  type StorageError,
  StorageOutage,
  type ValidationError,
} from "@errata/core"
import { Cause, Data, Effect } from "effect"

/** What is told. */
export class Failure extends Data.TaggedError("Failure")<{ readonly message: string }> {}

/** What was asked for is not there, or not for the caller to see. */
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

/** Names of arguments by what the core calls them. */
export type ArgumentNames = Readonly<Record<string, string>>

/** Makes words of the core's errors. A statement that the storage rejects is a defect. */
export const toFailure =
  (names: ArgumentNames) =>
  <A, R>(effect: Effect.Effect<A, CoreError, R>): Effect.Effect<A, Failure, R> =>
    Effect.catchAll(effect, (error) => failureOf(error, { ...commonNames, ...names }))

/** What is not there and what the caller may not see read alike. */
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
            : `Group ${error.groupId} was merged into group ${error.mergedIntoId}: use that one`,
      })
    case "ReportNotFound":
      return new Missing({ message: notFound("report", error.report) })
    case "NoteNotFound":
      return new Missing({ message: notFound("note", error.noteId) })
    case "AccessDenied":
      return new Failure({ message: `You are not allowed to do this (${error.rule})` })
    case "ValidationError":
      return new Failure({ message: invalid(error.errors, names) })
    case "StorageError":
      return storageFailures[error.reason](error)
  }
}

const busy = new Failure({ message: "The storage is not available at the moment; try again later" })

const storageFailures: Readonly<
  Record<StorageError["reason"], (error: StorageError) => Effect.Effect<never, Failure>>
> = {
  unavailable: (error) =>
    Effect.zipRight(
      Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
        outage.logFailure("The storage is unavailable", Cause.fail(error)),
      ),
      busy,
    ),
  conflict: (error) =>
    Effect.zipRight(
      Effect.logWarning("A tool call lost every race against other changes", Cause.fail(error)),
      new Failure({ message: "Other changes were in the way; try again" }),
    ),
  rejected: Effect.die,
}

/** What the core calls otherwise than the arguments of tools. */
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
