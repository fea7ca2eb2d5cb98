/** One-time sign-in links, which are valid for 24 hours. */
import { type DateTime, Duration, Effect, Redacted } from "effect"
import { generateToken, sha256 } from "../access/Secrets.js"
import type { UserId } from "../user/User.js"
import { CredentialStore } from "./CredentialStore.js"

/** The secret of a one-time link. */
export interface SignInLink {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

/** Creates a link for a user. Earlier links become invalid. */
export const issue = Effect.fn("SignInLink.issue")(function* (userId: UserId) {
  const credentials = yield* CredentialStore
  const token = yield* generateToken("errata-link_")
  const expiresAt = yield* credentials.putLink(userId, sha256(Redacted.value(token)), lifetime)
  return { token, expiresAt } satisfies SignInLink
})

// internal

const lifetime = Duration.hours(24)
