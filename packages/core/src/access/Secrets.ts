/** Generates and hashes secrets. API keys are shown once and stored only as SHA-256. */
import { createHash, randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { ProjectToken } from "../project/Project.js"

export const apiKeyPrefix = "errata_"

/** Checks whether a text has the form of an API key. */
export const isApiKey = (text: string): boolean => /^errata_[\x21-\x7e]{16,200}$/.test(text)

/** Generates an API key: the prefix and 256 random bits. */
export const generateApiKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${apiKeyPrefix}${randomBytes(32).toString("hex")}`),
)

/** SHA-256 in hexadecimal. The keys are random, so a slow hash would add nothing. */
export const hashApiKey = (apiKey: Redacted.Redacted): string => sha256(Redacted.value(apiKey))

export const generateProjectToken: Effect.Effect<ProjectToken> = Effect.sync(() =>
  ProjectToken.make(randomBytes(16).toString("hex")),
)

/** Generates a webhook signing secret of 256 bits, in the format of the Standard Webhooks specification. */
export const generateWebhookSecret: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`whsec_${randomBytes(32).toString("base64")}`),
)

/** Generates 32 lowercase hexadecimal characters. */
export const generateEventId = (): string => randomBytes(16).toString("hex")

/** The prefix shows people and secret scanners the purpose of a token. No token has the form of an API key. */
export type TokenPrefix =
  | "errata-session_"
  | "errata-bearer_"
  | "errata-link_"
  | "errata-code_"
  | "errata-access_"
  | "errata-refresh_"

/** Generates a token: the prefix and 256 random bits. */
export const generateToken = (prefix: TokenPrefix): Effect.Effect<Redacted.Redacted> =>
  Effect.sync(() => Redacted.make(prefix + randomBytes(32).toString("base64url")))

/** SHA-256 in hexadecimal, as stored. Null if the text does not have the form of such a token. */
export const hashToken = (prefix: TokenPrefix, token: string): string | null =>
  token.startsWith(prefix) && /^[\w-]{43}$/.test(token.slice(prefix.length)) ? sha256(token) : null

/** SHA-256 of a text, in hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
