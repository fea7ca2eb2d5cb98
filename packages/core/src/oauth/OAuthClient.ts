/** Clients and their registration. */
import { type DateTime, Effect } from "effect"
import { toStorable } from "../validation/StorableText.js"
import { OAuthRefused } from "./OAuthRefused.js"
import { redirectUriProblem } from "./RedirectUri.js"

/** A public client: it has no secret and uses PKCE. */
export interface OAuthClient {
  /** Assigned at registration, or the URL of the client's document. */
  readonly clientId: string
  /** Chosen by the client and not verified. At most 100 characters. */
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly createdAt: DateTime.Utc
}

/** Client metadata (RFC 7591). Other fields are ignored. */
export interface ClientMetadata {
  readonly client_name?: unknown
  readonly redirect_uris?: unknown
  readonly grant_types?: unknown
  readonly response_types?: unknown
}

/**
 * Validates client metadata and returns the fields to store. Requested secrets and authentication methods are
 * ignored; the response names the ones in force.
 */
export const readMetadata = (
  metadata: ClientMetadata,
): Effect.Effect<{ readonly name: string; readonly redirectUris: ReadonlyArray<string> }, OAuthRefused> =>
  Effect.gen(function* () {
    const { client_name, grant_types, redirect_uris, response_types } = metadata
    if (!isTexts(redirect_uris) || redirect_uris.length === 0) {
      return yield* refused("invalid_redirect_uri", "redirect_uris must be a list of at least one URI")
    }
    if (redirect_uris.length > maxRedirectUris) {
      return yield* refused("invalid_redirect_uri", `redirect_uris must be at most ${maxRedirectUris}`)
    }
    for (const uri of redirect_uris) {
      const problem = redirectUriProblem(uri)
      if (problem !== null) return yield* refused("invalid_redirect_uri", `a redirect URI ${problem}`)
    }
    if (grant_types !== undefined && !(isTexts(grant_types) && grant_types.includes("authorization_code"))) {
      return yield* refused("invalid_client_metadata", "grant_types must include authorization_code")
    }
    if (response_types !== undefined && !(isTexts(response_types) && response_types.includes("code"))) {
      return yield* refused("invalid_client_metadata", "response_types must include code")
    }
    const name = typeof client_name === "string" ? shownName(client_name) : ""
    return { name: name === "" ? unnamed : name, redirectUris: [...new Set(redirect_uris)] }
  })

// internal

const maxRedirectUris = 10
const maxName = 100
const unnamed = "Unnamed application"

const refused = (error: OAuthRefused["error"], description: string) =>
  new OAuthRefused({ error, description })

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

/** One line of visible characters, without bidirectional marks. */
const shownName = (text: string): string =>
  toStorable(text.slice(0, maxName))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
