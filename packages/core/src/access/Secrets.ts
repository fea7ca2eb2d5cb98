/** The secrets that Errata hands out. API keys are shown once and stored only as SHA-256. */
import { createHash, randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { ProjectToken } from "../project/Project.js"

export const apiKeyPrefix = "errata_"

/** Whether a text has the form of an API key; no user has one of another form. */
export const isApiKey = (text: string): boolean => /^errata_[\x21-\x7e]{16,200}$/.test(text)

/** A fresh API key: the prefix and 256 random bits. */
export const generateApiKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${apiKeyPrefix}${randomBytes(32).toString("hex")}`),
)

/** SHA-256 in hexadecimal. The keys are random, so a slow hash would add nothing. */
export const hashApiKey = (apiKey: Redacted.Redacted): string => sha256(Redacted.value(apiKey))

export const generateProjectToken: Effect.Effect<ProjectToken> = Effect.sync(() =>
  ProjectToken.make(randomBytes(16).toString("hex")),
)

/** 256 random bits that sign a webhook's deliveries, in the form of the Standard Webhooks specification. */
export const generateWebhookSecret: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`whsec_${randomBytes(32).toString("base64")}`),
)

/** 32 lowercase hexadecimal characters. */
export const generateEventId = (): string => randomBytes(16).toString("hex")

/**
 * What a token is for can be told by its beginning, by people who find one and by scanners that look for secrets. None
 * of them has the form of an API key.
 */
export type TokenPrefix =
  | "errata-session_"
  | "errata-bearer_"
  | "errata-link_"
  | "errata-code_"
  | "errata-access_"
  | "errata-refresh_"

/** A fresh token: the prefix and 256 random bits. */
export const generateToken = (prefix: TokenPrefix): Effect.Effect<Redacted.Redacted> =>
  Effect.sync(() => Redacted.make(prefix + randomBytes(32).toString("base64url")))

/** SHA-256 in hexadecimal, as tokens are stored; null for what has not the form of such a token. */
export const hashToken = (prefix: TokenPrefix, token: string): string | null =>
  token.startsWith(prefix) && /^[\w-]{43}$/.test(token.slice(prefix.length)) ? sha256(token) : null

/** A text of any length as one of 64 hexadecimal digits. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
