/** Password hashing with scrypt. Parameters are stored with each hash, so that they can be raised. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { Context, Effect, Redacted, Semaphore } from "effect"
import { isStorable, notStorable, tooLong } from "../validation/StorableText.js"

/** The cost of a hash in scrypt's parameters: `N` times `r` times 128 bytes of memory, `p` passes. */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** The cost of new hashes: 16 MiB, as OWASP recommends. Tests provide a lower one. */
export const Cost = Context.Reference("@errata/core/identity/Password/Cost", {
  defaultValue: (): PasswordCost => ({ N: 2 ** 14, r: 8, p: 5 }),
})

export const minLength = 10
export const maxLength = 200

/** Returns the problem with a new password, or null. Lengths are in UTF-16 units. */
export const problem = (password: Redacted.Redacted): string | null => {
  const text = Redacted.value(password)
  if (!isStorable(text)) return notStorable
  if (text.length < minLength) return `is too short (minimum is ${minLength} characters)`
  return text.length > maxLength ? tooLong(maxLength) : null
}

/** Returns `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export const hash = (password: Redacted.Redacted): Effect.Effect<string> =>
  Effect.gen(function* () {
    const salt = yield* Effect.sync(() => randomBytes(saltBytes))
    const cost = yield* Cost
    const { N, p, r } = cost
    const derived = yield* derive(password, salt, cost, hashBytes)
    return ["scrypt", N, r, p, salt.toString("base64url"), derived.toString("base64url")].join("$")
  })

/** Checks a password against a hash. Null, for a user without a password, takes the same time and fails. */
export const verify = (password: Redacted.Redacted, stored: string | null): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const [, N, r, p, salt = "", expected = ""] = (stored ?? nobodys(yield* Cost)).split("$")
    const bytes = Buffer.from(expected, "base64url")
    const derived = yield* derive(
      password,
      Buffer.from(salt, "base64url"),
      { N: Number(N), r: Number(r), p: Number(p) },
      bytes.length,
    )
    return timingSafeEqual(derived, bytes) && stored !== null
  })

// internal

const saltBytes = 16
const hashBytes = 32

const nobodys = ({ N, p, r }: PasswordCost): string =>
  [
    "scrypt",
    N,
    r,
    p,
    Buffer.alloc(saltBytes).toString("base64url"),
    Buffer.alloc(hashBytes).toString("base64url"),
  ].join("$")

/** Each hash takes a thread of libuv's pool and 16 MiB. Ingest needs threads too. */
const turns = Semaphore.makeUnsafe(2)

const derive = (
  password: Redacted.Redacted,
  salt: Buffer,
  { N, p, r }: PasswordCost,
  length: number,
): Effect.Effect<Buffer> =>
  turns.withPermits(1)(
    Effect.callback<Buffer>((resume) => {
      // NFC, because keyboards encode accented letters differently.
      const text = Redacted.value(password).normalize("NFC")
      scrypt(text, salt, length, { N, r, p, maxmem: 64 * 1024 * 1024 }, (error, derived) =>
        resume(error === null ? Effect.succeed(derived) : Effect.die(error)),
      )
    }),
  )
