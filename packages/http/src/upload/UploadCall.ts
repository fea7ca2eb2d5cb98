/** A call of an upload client whose sender is known, and what may go wrong with it. */
import type {
  AccessDenied,
  ArtifactBundleNotFound,
  ArtifactUploadsPaused,
  CurrentActor,
  InvalidApiKey,
  ProjectNotFound,
  ReleaseNotFound,
  ReportNotFound,
  Services,
  StorageError,
  UnknownProject,
  User,
  ValidationError,
} from "@errata/core"
import { Data, type Effect } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import type { BodyPieces } from "./BodyPieces.js"
import type { BadParts } from "./Parts.js"
import type { UploadAnswer } from "./UploadAnswer.js"

/** The body is no JSON, or not of the shape that is called for. */
export class BadBody extends Data.TaggedError("BadBody")<{ readonly reason: string }> {}

/** The caller has no project, so that nothing they upload could belong to one. */
export class NoProject extends Data.TaggedError("NoProject") {}

export interface UploadCall {
  /** What stands in the path where the route has a name, e.g. `project`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  /** The address that the client knows the instance by, down to where `/api/0` begins. */
  readonly address: string
  /** As it was asked for, e.g. `/api/0/organizations/`. */
  readonly path: string
  readonly user: User
  /** The whole body, as JSON. Nothing at all reads as an object without keys. */
  readonly json: Effect.Effect<unknown, BadBody | BodyRejected>
  readonly pieces: BodyPieces
  /** Runs an effect as the user that the key belongs to now: they may have lost it while a body was on its way. */
  readonly asNow: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | InvalidApiKey | StorageError, Exclude<R, CurrentActor>>
}

export type UploadError =
  | AccessDenied
  | ArtifactBundleNotFound
  | ArtifactUploadsPaused
  | BadBody
  | BadParts
  | BodyRejected
  | InvalidApiKey
  | NoProject
  | ProjectNotFound
  | ReleaseNotFound
  | ReportNotFound
  | StorageError
  | UnknownProject
  | ValidationError

export type UploadHandler = (
  call: UploadCall,
) => Effect.Effect<UploadAnswer, UploadError, Services.Services | CurrentActor>

export interface UploadRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** e.g. `projects/:organization/:project/releases`. */
  readonly path: string
  readonly handle: UploadHandler
}
