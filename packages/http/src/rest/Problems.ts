/** Maps errors of the core to problem documents. */
import { Problem } from "@errata/api/internal"
import type {
  AccessDenied,
  AlertRuleNotFound,
  AppNotFound,
  ArtifactBundleNotFound,
  AttachmentNotFound,
  DeadLetterNotFound,
  DeliveryNotFound,
  GroupNotFound,
  IntakePaused,
  IntakeUnavailable,
  MergeNotFound,
  NoPerson,
  NoSourceMapAvailable,
  NoteNotFound,
  NotJavaScript,
  ProjectNotFound,
  ReleaseNotFound,
  ReportNotFound,
  RetentionRunNotFound,
  RetryNotQueued,
  SourcemapOriginNotFound,
  StorageError,
  TagNotFound,
  TargetNotFound,
  UserNotFound,
  ValidationError,
  WebhookNotFound,
} from "@errata/core"
import { absentPart, StorageOutage } from "@errata/core/internal"
import type { Keyring, SourcemapState } from "@errata/core/ports"
import { Cause, Effect } from "effect"
import { wireErrors } from "./WireNames.js"

/** Resources that do not exist, or that the caller cannot see. */
type NotFound =
  | ProjectNotFound
  | GroupNotFound
  | ReportNotFound
  | AttachmentNotFound
  | MergeNotFound
  | ReleaseNotFound
  | ArtifactBundleNotFound
  | NoteNotFound
  | UserNotFound
  | SourcemapOriginNotFound
  | WebhookNotFound
  | DeliveryNotFound
  | TargetNotFound
  | AlertRuleNotFound
  | AppNotFound
  | RetentionRunNotFound
  | DeadLetterNotFound
  | TagNotFound

type CoreError =
  | AccessDenied
  | NoPerson
  | NotFound
  | ValidationError
  | StorageError
  | Keyring.EncryptionKeyMissing
  | NotJavaScript
  | NoSourceMapAvailable
  | RetryNotQueued
  | IntakePaused
  | IntakeUnavailable

/** The problem of an error. Errors that are not of the core are unchanged. */
export type ProblemOf<E> = E extends AccessDenied | NoPerson
  ? Problem.Forbidden
  : E extends NotFound
    ? Problem.NotFound
    : E extends ValidationError | NotJavaScript
      ? Problem.ValidationFailed
      : E extends StorageError | Keyring.EncryptionKeyMissing | RetryNotQueued | IntakeUnavailable
        ? Problem.ServiceUnavailable
        : E extends NoSourceMapAvailable
          ? Problem.Conflict
          : E extends IntakePaused
            ? Problem.TooManyRequests
            : E

/**
 * Converts errors of the core to problems. A statement that the storage rejects is a defect, unless the storage leaves
 * out the part. Endpoints that store into such a part have validation errors anyway.
 */
export const toProblems = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, ProblemOf<E>, R> =>
  Effect.catch(effect, (error) => problemOf(error as CoreError | Other) as Effect.Effect<never, ProblemOf<E>>)

// internal

interface Other {
  readonly _tag: "Other"
}

const problemOf = (error: CoreError | Other): Effect.Effect<never, Problem.Problem | Other> => {
  if (isMissing(error)) return Effect.fail(Problem.notFound(missing[error._tag]))
  switch (error._tag) {
    case "AccessDenied":
      return Effect.fail(Problem.forbidden(`You are not allowed to do this (${error.rule})`))
    case "NoPerson":
      return Effect.fail(Problem.forbidden("Only people have mail settings"))
    case "GroupNotFound":
      return Effect.fail(
        error.mergedIntoId === null
          ? Problem.notFound("No such group")
          : Problem.notFound("The group was merged into another group", error.mergedIntoId),
      )
    case "ValidationError":
      return Effect.fail(Problem.validationFailed(wireErrors(error.errors)))
    case "EncryptionKeyMissing":
      return Effect.fail(
        Problem.serviceUnavailable("The instance has no encryption key. Set ERRATA_ENCRYPTION_KEY"),
      )
    case "NotJavaScript":
      return Effect.fail({
        ...Problem.validationFailed({ base: ["is not a JavaScript report"] }),
        ...diagnosticsOf(error),
      })
    case "NoSourceMapAvailable":
      return Effect.fail(
        Problem.conflict(
          error.isFetchingDisabled
            ? "No source map was uploaded for the report's scripts, and hosted source maps are disabled"
            : "No source map was uploaded for the report's scripts, and their origins are not authorized",
          diagnosticsOf(error),
        ),
      )
    case "IntakePaused":
      return Effect.fail(
        Problem.tooManyRequests(`Events are not accepted now (${error.reason}). Try again later`),
      )
    case "IntakeUnavailable":
      return Effect.fail(Problem.serviceUnavailable("Events cannot be stored. Try again later"))
    case "RetryNotQueued":
      return Effect.mapError(storageProblems[error.cause.reason](error.cause), (problem) => ({
        ...problem,
        ...diagnosticsOf(error),
      }))
    case "StorageError":
      return storageProblems[error.reason](error)
    default:
      return Effect.fail(error)
  }
}

type Missing = Exclude<NotFound, GroupNotFound>

const missing: Readonly<Record<Missing["_tag"], string>> = {
  ProjectNotFound: "No such project",
  ReportNotFound: "No such report",
  AttachmentNotFound: "No such attachment",
  MergeNotFound: "No such merge",
  ArtifactBundleNotFound: "No such upload",
  ReleaseNotFound: "No such release",
  DeadLetterNotFound: "No such dead letter",
  TagNotFound: "No such tag",
  NoteNotFound: "No such note",
  UserNotFound: "No such user",
  SourcemapOriginNotFound: "No such origin",
  WebhookNotFound: "No such webhook",
  DeliveryNotFound: "No such delivery",
  TargetNotFound: "No such target",
  AlertRuleNotFound: "No such rule",
  AppNotFound: "No such app",
  RetentionRunNotFound: "No such run",
}

const isMissing = (error: { readonly _tag: string }): error is Missing => Object.hasOwn(missing, error._tag)

const diagnosticsOf = ({
  attemptedAt,
  failureCode,
  status,
}: SourcemapState): Problem.SourcemapDiagnostics => ({
  sourcemap_status: status,
  sourcemap_failure_code: failureCode,
  sourcemap_attempted_at: attemptedAt,
})

const storageProblems: Readonly<
  Record<
    StorageError["reason"],
    (error: StorageError) => Effect.Effect<never, Problem.ServiceUnavailable | Problem.ValidationFailed>
  >
> = {
  unavailable: (error) =>
    Effect.andThen(
      Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
        outage.logFailure("The storage is unavailable", Cause.fail(error)),
      ),
      Effect.fail(Problem.serviceUnavailable("The storage is unavailable. Try again later")),
    ),
  // The core's `Transactions` has already retried it.
  conflict: (error) =>
    Effect.andThen(
      Effect.logWarning("A request conflicted with other changes on every attempt", Cause.fail(error)),
      Effect.fail(Problem.serviceUnavailable("The request conflicted with other changes. Try again later")),
    ),
  rejected: (error) => {
    const part = absentPart(error)
    return part === null
      ? Effect.die(error)
      : Effect.fail(
          Problem.validationFailed({ base: [`cannot be stored: the storage does not support ${part}`] }),
        )
  },
}
