/** Applications that act for people, as they register themselves. */
import { type DateTime, Effect } from "effect"
import { toStorable } from "../validation/StorableText.js"
import { OAuthRefused } from "./OAuthRefused.js"
import { redirectUriProblem } from "./RedirectUri.js"

/** Every client is public: it has no secret, and proves with PKCE that it is the one that asked. */
export interface OAuthClient {
  /** What it was given when it registered, or the address of the document that describes it. */
  readonly clientId: string
  /** As it calls itself: nothing that can be relied on. At most 100 characters. */
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly createdAt: DateTime.Utc
}

/** A registration (RFC 7591), as far as it is looked at; all else is ignored. */
export interface ClientMetadata {
  readonly client_name?: unknown
  readonly redirect_uris?: unknown
  readonly grant_types?: unknown
  readonly response_types?: unknown
}

/**
 * What is kept of a registration, or why it is refused. Which secrets and kinds of application it asks for makes no
 * difference: clients ask for what they know, and are told what they get.
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

/** One line of visible characters, which no mark turns around. */
const shownName = (text: string): string =>
  toStorable(text.slice(0, maxName))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
