/** What was found at scripts' addresses, and who looks there now. */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"

/** A script as a project sees it: what one project has fetched is nothing of any other's. */
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

/** The map of a script, or why there is none. */
export type HostedOutcome =
  | { readonly _tag: "Found"; readonly map: HostedMap }
  | { readonly _tag: "Missing"; readonly code: SourcemapFailureCode }

/** Times are the storage's. Something of an origin is here only while the project has that origin. */
export class HostedMapCache extends Context.Service<
  HostedMapCache,
  {
    /** What is known of a script; none where nobody has looked, is still looking, or it is too long ago. */
    readonly find: (script: HostedScript) => Effect.Effect<Option.Option<HostedOutcome>, StorageError>

    /**
     * Takes it upon oneself to look, for as long as the lease; nobody else is given the same script meanwhile, nor while
     * something is known of it. Answers a number that `settle` and `release` want; none where somebody else is first.
     */
    readonly claim: (
      script: HostedScript,
      lease: Duration.Duration,
    ) => Effect.Effect<Option.Option<number>, StorageError>

    /**
     * Keeps what was found, for so long. `origins` are all that were asked on the way. Nothing is kept where the claim was
     * lost, or where the project no longer has one of these origins. Then removes the oldest of what the project has
     * here, until that is `maxBytes` of maps at most.
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

    /** Leaves looking to others. */
    readonly release: (script: HostedScript, claim: number) => Effect.Effect<void, StorageError>

    /** Removes what came by way of an origin; answers how much that was. */
    readonly purgeOrigin: (projectId: ProjectId, origin: string) => Effect.Effect<number, StorageError>

    /** Forgets why maps of a project were missing: it may be otherwise now. */
    readonly forgetMissing: (projectId: ProjectId) => Effect.Effect<void, StorageError>

    /** Removes some of what is no longer known, and claims that nobody has kept; answers how many. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/sourcemap/HostedMapCache") {}
