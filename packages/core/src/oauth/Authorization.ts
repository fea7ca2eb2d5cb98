/** What a client asks a person for, and what becomes of it: rules without a storage. */
import { Effect } from "effect"
import type { Grant } from "../access/Actor.js"
import { OAuthRefused } from "./OAuthRefused.js"
import { isChallenge } from "./Pkce.js"

/** The parameters of an authorization request as they came; null for those that did not. */
export interface AuthorizationTexts {
  readonly responseType: string | null
  readonly scope: string | null
  readonly codeChallenge: string | null
  readonly codeChallengeMethod: string | null
  readonly resources: ReadonlyArray<string>
  readonly prompt: string | null
}

/** A request that a person can be asked to approve. */
export interface AuthorizationRequest {
  readonly grants: ReadonlyArray<Grant>
  readonly codeChallenge: string
  readonly resource: string
}

/** What scopes and resources are called in this instance. */
export interface Names {
  /** By name; the instance's own prefix is in it. */
  readonly scopes: Readonly<Record<string, Grant>>
  /** What tokens are for, first the one that is meant where none is named. */
  readonly resources: readonly [string, ...ReadonlyArray<string>]
}

export const readRequest = (
  texts: AuthorizationTexts,
  names: Names,
): Effect.Effect<AuthorizationRequest, OAuthRefused> =>
  Effect.gen(function* () {
    if (texts.responseType !== "code") {
      return yield* refused("unsupported_response_type", "response_type must be code")
    }
    if (texts.codeChallenge === null || !isChallenge(texts.codeChallenge)) {
      return yield* refused("invalid_request", "code_challenge must be a PKCE code challenge")
    }
    if (texts.codeChallengeMethod !== "S256") {
      return yield* refused("invalid_request", "code_challenge_method must be S256")
    }
    const resource = yield* readResource(texts.resources, names)
    const grants = yield* readScope(texts.scope, names)
    // There is an approval each time, so nothing can be done without asking.
    if (texts.prompt?.split(" ").includes("none")) {
      return yield* refused("interaction_required", "the user must approve this request")
    }
    return { codeChallenge: texts.codeChallenge, grants, resource }
  })

/**
 * The grants of a scope: both where none is named. To write is to read as well. Scopes of others, such as
 * `offline_access`, are passed over, but for a request that has no other.
 */
export const readScope = (
  scope: string | null,
  { scopes }: Names,
): Effect.Effect<ReadonlyArray<Grant>, OAuthRefused> => {
  const named = (scope ?? "").split(" ").filter((name) => name !== "")
  if (named.length === 0) return Effect.succeed(["read", "write"])
  const grants = named.flatMap((name) => (Object.hasOwn(scopes, name) ? [scopes[name]!] : []))
  if (grants.length === 0) return refused("invalid_scope", "the scope is unknown")
  return Effect.succeed(grants.includes("write") ? ["read", "write"] : ["read"])
}

/** The one resource that tokens are for, by any of its names. */
export const readResource = (
  given: ReadonlyArray<string>,
  { resources }: Names,
): Effect.Effect<string, OAuthRefused> =>
  given.every((resource) => resources.includes(resource.replace(/\/$/, "")))
    ? Effect.succeed(resources[0])
    : refused("invalid_target", "resource must be the address of this server")

// internal

const refused = (error: OAuthRefused["error"], description: string) =>
  new OAuthRefused({ error, description })
