/**
 * Secrets that have to be read again, such as those that sign what is sent: stored under a key of the operator's. Of several
 * keys the first one seals, and all of them open, so that a key can be replaced while what it sealed is still there.
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

/** A key of 32 bytes, and the id that stored secrets name it by. */
export interface EncryptionKey {
  /** Eight hexadecimal characters that tell keys apart and nothing of them. */
  readonly id: string
  readonly key: KeyObject
}

/** There is no key to seal with. */
export class EncryptionKeyMissing extends Schema.TaggedError<EncryptionKeyMissing>()(
  "EncryptionKeyMissing",
  {},
) {
  override get message() {
    return "No encryption key is set"
  }
}

/** A secret was sealed with a key that is not at hand, in another place, or is damaged. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  keyId: Schema.String,
}) {
  override get message() {
    return `A stored secret cannot be decrypted. It was encrypted with the key ${this.keyId}, which is not configured`
  }
}

/** The keys in force, the one that seals first; none by default. */
export const Keyring = Context.Reference("@errata/core/encryption/Keyring", {
  defaultValue: (): ReadonlyArray<EncryptionKey> => [],
})

/** Keys of 32 bytes each, in hexadecimal or base64, with commas between. None where one of them is of another form. */
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

/** A fresh key, in the form that `parseKeys` reads. */
export const generateKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(randomBytes(32).toString("base64")),
)

/** Seals a secret. It opens in the same `place` only: whoever can write to the storage cannot swap secrets. */
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

/** Decrypts a secret. Fails with `SecretUnreadable` if its key is not in the keyring. */
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
