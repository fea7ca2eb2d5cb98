/** The port that keeps fetched maps, and the claims of nodes that fetch one. */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"

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

/** Uses the storage's clock. Removing an origin of a project removes everything from it. */
export class HostedMapCache extends Context.Service<
  HostedMapCache,
  {
    /** Returns the outcome for a script. None if no node has finished fetching it, or if the outcome has expired. */
    readonly find: (script: HostedScript) => Effect.Effect<Option.Option<HostedOutcome>, StorageError>

    /**
     * Claims a script for the duration of the lease. Returns a number for `settle` and `release`. None if another node has
     * claimed the script, or if its outcome is known.
     */
    readonly claim: (
      script: HostedScript,
      lease: Duration.Duration,
    ) => Effect.Effect<Option.Option<number>, StorageError>

    /**
     * Keeps the outcome for a duration. `origins` are all that were requested. Keeps nothing if the claim was lost, or if
     * the project no longer has one of these origins. Then removes the project's oldest maps above `maxBytes`.
     */
    readonly settle: (
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
    readonly release: (script: HostedScript, claim: number) => Effect.Effect<void, StorageError>

    /** Removes everything that came from an origin. Returns the number of rows. */
    readonly purgeOrigin: (projectId: ProjectId, origin: string) => Effect.Effect<number, StorageError>

    /** Removes the failures of a project, because they may have changed. */
    readonly forgetMissing: (projectId: ProjectId) => Effect.Effect<void, StorageError>

    /** Removes some expired outcomes and claims. Returns their number. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/sourcemap/HostedMapCache") {}
