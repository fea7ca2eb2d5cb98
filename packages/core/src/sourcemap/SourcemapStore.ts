import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"
import type { SourcemapOrigin, SourcemapOriginId } from "./SourcemapOrigin.js"

/** A script of one project. Projects do not share fetched maps. */
export interface HostedScript {
  readonly projectId: ProjectId
  /** Absolute, without credentials and fragment. */
  readonly url: string
}

/** A map that was fetched. */
export interface HostedMap {
  /** The map's JSON in UTF-8, without a guard before it. */
  readonly json: Uint8Array
  /** Its address after redirects. */
  readonly url: string
}

/** The map of a script, or the reason why it has none. */
export type HostedOutcome =
  | { readonly _tag: "Found"; readonly map: HostedMap }
  | { readonly _tag: "Missing"; readonly code: SourcemapFailureCode }

/** Stores the authorized origins of projects, and the maps that were fetched from them. Uses the storage's clock. */
export class SourcemapStore extends Context.Service<
  SourcemapStore,
  {
    /** Adds an origin, and removes the failures of the project. None if the project has it already. */
    readonly insertOrigin: (
      projectId: ProjectId,
      origin: string,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<SourcemapOrigin>, StorageError>

    /** Returns the number of the project's origins. Other calls wait until the transaction ends. */
    readonly lockOriginCount: (projectId: ProjectId) => Effect.Effect<number, StorageError>

    /** Newest first. */
    readonly listOrigins: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<SourcemapOrigin>, StorageError>

    /**
     * Removes an origin and everything that was fetched from it, in the caller's transaction. Returns whether the
     * project had it.
     */
    readonly removeOrigin: (
      projectId: ProjectId,
      id: SourcemapOriginId,
    ) => Effect.Effect<boolean, StorageError>

    /** Returns the outcome for a script. None if no node has finished fetching it, or if the outcome has expired. */
    readonly findMap: (script: HostedScript) => Effect.Effect<Option.Option<HostedOutcome>, StorageError>

    /**
     * Claims a script for the duration of the lease. Returns a number for `settleMap` and `releaseMap`. None if another node has
     * claimed the script, or if its outcome is known.
     */
    readonly claimMap: (
      script: HostedScript,
      lease: Duration.Duration,
    ) => Effect.Effect<Option.Option<number>, StorageError>

    /**
     * Keeps the outcome for a duration. `origins` are all that were requested. Keeps nothing if the claim was lost, or if
     * the project no longer has one of these origins. Then removes the project's oldest maps above `maxBytes`.
     */
    readonly settleMap: (
      script: HostedScript,
      claim: number,
      found: {
        readonly outcome: HostedOutcome
        readonly origins: ReadonlyArray<string>
        readonly keep: Duration.Duration
        readonly maxBytes: number
      },
    ) => Effect.Effect<void, StorageError>

    /** Ends the claim without an outcome. */
    readonly releaseMap: (script: HostedScript, claim: number) => Effect.Effect<void, StorageError>

    /** Removes some expired outcomes and claims. Returns their number. */
    readonly expireMaps: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/sourcemap/SourcemapStore") {}
