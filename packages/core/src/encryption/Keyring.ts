/**
 * Encrypts secrets that must be decrypted later, such as webhook signing secrets. The first key of the operator
 * encrypts and all keys decrypt, so that keys can be rotated.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto"
import { Context, Effect, Option, Redacted, Schema } from "effect"
import { keyIdOf, SealedSecret } from "./SealedSecret.js"

/** A 32-byte key, and the id by which stored secrets refer to it. */
export interface EncryptionKey {
  /** Eight hexadecimal characters that identify the key without revealing it. */
  readonly id: string
  readonly key: KeyObject
}

/** No key is configured, so a secret cannot be encrypted. */
export class EncryptionKeyMissing extends Schema.TaggedError<EncryptionKeyMissing>()(
  "EncryptionKeyMissing",
  {},
) {
  override get message() {
    return "No encryption key is set"
  }
}

/** The key is not configured, or the secret is damaged or was encrypted for another place. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  keyId: Schema.String,
}) {
  override get message() {
    return `A stored secret cannot be decrypted. It was encrypted with the key ${this.keyId}, which is not configured`
  }
}

/** The configured keys; the first one encrypts. Empty by default. */
export const Keyring = Context.Reference("@errata/core/encryption/Keyring", {
  defaultValue: (): ReadonlyArray<EncryptionKey> => [],
})

/** Parses comma-separated 32-byte keys in hexadecimal or base64. Returns none if any key is malformed. */
export const parseKeys = (text: string): Option.Option<ReadonlyArray<EncryptionKey>> => {
  const parsed: Array<EncryptionKey> = []
  for (const part of text.split(",")) {
    const word = part.trim()
    const isKey = /^[0-9a-f]{64}$/i.test(word) || /^[A-Za-z0-9+/_-]{43}=?$/.test(word)
    if (!isKey) return Option.none()
    parsed.push(keyOf(Buffer.from(word, word.length === 64 ? "hex" : "base64")))
  }
  return Option.some(parsed)
}

/** Generates a key in the form that `parseKeys` reads. */
export const generateKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(randomBytes(32).toString("base64")),
)

/** Encrypts a secret for one `place`, so that stored secrets cannot be swapped by editing the database. */
export const seal = (
  keyring: ReadonlyArray<EncryptionKey>,
  secret: Redacted.Redacted,
  place: string,
): Effect.Effect<SealedSecret, EncryptionKeyMissing> =>
  Effect.suspend(() => {
    const [first] = keyring
    if (first === undefined) return new EncryptionKeyMissing()
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(place))
    const data = Buffer.concat([
      nonce,
      cipher.update(Redacted.value(secret), "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return Effect.succeed(SealedSecret.make(`v1.${first.id}.${data.toString("base64url")}`))
  })

/** Decrypts a secret of this `place`. Fails if the key is missing, the place differs, or the data is damaged. */
export const open = (
  keyring: ReadonlyArray<EncryptionKey>,
  sealed: SealedSecret,
  place: string,
): Effect.Effect<Redacted.Redacted, SecretUnreadable> =>
  Effect.suspend(() => {
    const keyId = keyIdOf(sealed)
    const found = keyring.find(({ id }) => id === keyId)
    const unreadable = new SecretUnreadable({ keyId })
    const data = Buffer.from(sealed.split(".")[2] ?? "", "base64url")
    if (found === undefined || !sealed.startsWith("v1.") || data.length < nonceBytes + tagBytes) {
      return unreadable
    }
    return Effect.try({
      try: () => {
        const end = data.length - tagBytes
        const decipher = createDecipheriv(algorithm, found.key, data.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(data.subarray(end))
        const text = Buffer.concat([decipher.update(data.subarray(nonceBytes, end)), decipher.final()])
        return Redacted.make(text.toString("utf8"))
      },
      catch: () => unreadable,
    })
  })

// internal

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

const keyOf = (bytes: Buffer): EncryptionKey => ({
  id: createHash("sha256").update("errata encryption key").update(bytes).digest("hex").slice(0, 8),
  key: createSecretKey(bytes),
})
