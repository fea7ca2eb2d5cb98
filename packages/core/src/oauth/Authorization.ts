/** Validates authorization requests. Pure. */
import { Effect } from "effect"
import type { Grant } from "../access/Actor.js"
import { OAuthRefused } from "./OAuthRefused.js"
import { isChallenge } from "./Pkce.js"

/** The raw parameters of an authorization request; null for missing ones. */
export interface AuthorizationTexts {
  readonly responseType: string | null
  readonly scope: string | null
  readonly codeChallenge: string | null
  readonly codeChallengeMethod: string | null
  readonly resources: ReadonlyArray<string>
  readonly prompt: string | null
}

/** A valid request that a user can approve. */
export interface AuthorizationRequest {
  readonly grants: ReadonlyArray<Grant>
  readonly codeChallenge: string
  readonly resource: string
}

/** The names of scopes and resources in this instance. */
export interface Names {
  /** Grants by scope name, which includes the instance's prefix. */
  readonly scopes: Readonly<Record<string, Grant>>
  /** The resources that tokens can be for. The first is the default. */
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
    // Every request needs approval, so `prompt=none` always fails.
    if (texts.prompt?.split(" ").includes("none")) {
      return yield* refused("interaction_required", "the user must approve this request")
    }
    return { codeChallenge: texts.codeChallenge, grants, resource }
  })

/**
 * The grants of a scope. Without a scope, both. `write` includes `read`. Unknown scopes such as `offline_access` are
 * ignored, unless the request has no other.
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

/** The canonical name of the resource. */
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
