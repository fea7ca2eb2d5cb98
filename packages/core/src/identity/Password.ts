/** Passwords as they are stored: scrypt, with its parameters beside it so that they can grow. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { Context, Effect, Redacted, Semaphore } from "effect"
import { isStorable, notStorable, tooLong } from "../validation/StorableText.js"

/** What a hash costs: `N` blocks of `r` times 128 bytes, gone through `p` times. */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** Of new hashes: 16 MiB, and the time that OWASP asks for. Tests, which have no secrets, take less. */
export const Cost = Context.Reference("@errata/core/identity/Password/Cost", {
  defaultValue: (): PasswordCost => ({ N: 2 ** 14, r: 8, p: 5 }),
})

export const minLength = 10
export const maxLength = 200

/** What is wrong with a password that somebody chose; null where nothing is. Lengths are in UTF-16 units. */
export const problem = (password: Redacted.Redacted): string | null => {
  const text = Redacted.value(password)
  if (!isStorable(text)) return notStorable
  if (text.length < minLength) return `is too short (minimum is ${minLength} characters)`
  return text.length > maxLength ? tooLong(maxLength) : null
}

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export const hash = (password: Redacted.Redacted): Effect.Effect<string> =>
  Effect.gen(function* () {
    const salt = yield* Effect.sync(() => randomBytes(saltBytes))
    const cost = yield* Cost
    const { N, p, r } = cost
    const derived = yield* derive(password, salt, cost, hashBytes)
    return ["scrypt", N, r, p, salt.toString("base64url"), derived.toString("base64url")].join("$")
  })

/** Whether a password is the one of a hash. Null, for somebody who has none, takes as long as any other. */
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

/** Each takes a thread and its memory: more at once would make none faster, and ingest wants threads as well. */
const turns = Semaphore.makeUnsafe(2)

const derive = (
  password: Redacted.Redacted,
  salt: Buffer,
  { N, p, r }: PasswordCost,
  length: number,
): Effect.Effect<Buffer> =>
  turns.withPermits(1)(
    Effect.callback<Buffer>((resume) => {
      // Composed, so that it does not matter how a keyboard writes an accent.
      const text = Redacted.value(password).normalize("NFC")
      scrypt(text, salt, length, { N, r, p, maxmem: 64 * 1024 * 1024 }, (error, derived) =>
        resume(error === null ? Effect.succeed(derived) : Effect.die(error)),
      )
    }),
  )
