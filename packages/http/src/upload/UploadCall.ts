/** A call of an upload client whose sender is known, and what may go wrong with it. */
import type {
  AccessDenied,
  ArtifactBundleNotFound,
  ArtifactUploadsPaused,
  CurrentActor,
  ProjectNotFound,
  ReleaseNotFound,
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
}

export type UploadError =
  | AccessDenied
  | ArtifactBundleNotFound
  | ArtifactUploadsPaused
  | BadBody
  | BadParts
  | BodyRejected
  | ProjectNotFound
  | ReleaseNotFound
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
