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
export const hashApiKey = (apiKey: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(apiKey)).digest("hex")

export const generateProjectToken: Effect.Effect<ProjectToken> = Effect.sync(() =>
  ProjectToken.make(randomBytes(16).toString("hex")),
)

/** 256 random bits that sign a webhook's deliveries, in the form of the Standard Webhooks specification. */
export const generateWebhookSecret: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`whsec_${randomBytes(32).toString("base64")}`),
)

/** 32 lowercase hexadecimal characters. */
export const generateEventId = (): string => randomBytes(16).toString("hex")
