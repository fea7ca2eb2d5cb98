/** The headers of the Standard Webhooks specification, which authenticate a message and its time. */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"

/**
 * The three headers. `id` stays the same however often a message is sent; `timestamp` is that of the attempt, in seconds
 * since the epoch; the secret is `whsec_` and base64.
 */
export const headersOf = (
  secret: Redacted.Redacted,
  id: string,
  timestamp: number,
  body: string,
): Readonly<Record<string, string>> => {
  const key = Buffer.from(Redacted.value(secret).replace(/^whsec_/, ""), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  }
}
