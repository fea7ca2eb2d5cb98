/** An authenticated call of an upload client, and its failures. */
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

/** The body is not JSON, or has an unexpected shape. */
export class BadBody extends Data.TaggedError("BadBody")<{ readonly reason: string }> {}

/** The caller has no project to upload to. */
export class NoProject extends Data.TaggedError("NoProject") {}

export interface UploadCall {
  /** Path parameters by name, e.g. `project`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  /** The URL of the instance as the client knows it, up to `/api/0`. */
  readonly address: string
  /** As requested, e.g. `/api/0/organizations/`. */
  readonly path: string
  readonly user: User
  /** The whole body as JSON. An empty body is an empty object. */
  readonly json: Effect.Effect<unknown, BadBody | BodyRejected>
  readonly pieces: BodyPieces
  /** Authenticates again, since the key may have been revoked while a body arrived. */
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
  /** For example `projects/:organization/:project/releases`. */
  readonly path: string
  readonly handle: UploadHandler
}
