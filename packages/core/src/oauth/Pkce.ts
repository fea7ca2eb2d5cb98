/** PKCE (RFC 7636) with S256 only. */
import { createHash, timingSafeEqual } from "node:crypto"

/** True for a well-formed S256 challenge: 256 bits in base64url. */
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const isVerifiedBy = (challenge: string, verifier: string): boolean => {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const made = Buffer.from(createHash("sha256").update(verifier).digest("base64url"))
  const asked = Buffer.from(challenge)
  return made.length === asked.length && timingSafeEqual(made, asked)
}
