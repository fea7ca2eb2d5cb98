/** Encrypts the secrets of targets, including webhooks. */
import { Effect, Option, Redacted, Schema } from "effect"
import type { Job } from "../background/Job.js"
import * as Keyring from "../encryption/Keyring.js"
import { keyIdOf, type SealedSecret } from "../encryption/SealedSecret.js"
import type { ProjectId } from "../project/Project.js"
import { TargetStore } from "./TargetStore.js"

/** Seals a secret for a target of a project. */
export const seal = (
  keyring: ReadonlyArray<Keyring.EncryptionKey>,
  projectId: ProjectId,
  secret: Redacted.Redacted,
): Effect.Effect<SealedSecret, Keyring.EncryptionKeyMissing> =>
  Keyring.seal(keyring, secret, placeOf(projectId))

/** Opens the secret of a target of the project. */
export const open = (
  keyring: ReadonlyArray<Keyring.EncryptionKey>,
  { projectId, secret }: { readonly projectId: ProjectId; readonly secret: SealedSecret },
): Effect.Effect<Redacted.Redacted, Keyring.SecretUnreadable> =>
  Keyring.open(keyring, secret, placeOf(projectId))

/** Opens the secret fields of a target's address; none if it has no secret. */
export const openFields = Effect.fnUntraced(function* (
  keyring: ReadonlyArray<Keyring.EncryptionKey>,
  { projectId, secret }: { readonly projectId: ProjectId; readonly secret: SealedSecret | null },
) {
  if (secret === null) return {}
  const text = yield* open(keyring, { projectId, secret })
  return yield* Effect.orDie(decodeFields(Redacted.value(text)))
})

/**
 * Returns true if the current keys can open every stored secret. Tries one secret per key, in one short statement.
 * For health checks.
 */
export const areReadable = Effect.gen(function* () {
  const keyring = yield* Keyring.Keyring
  const targets = yield* TargetStore
  const samples = yield* targets.sampleSecrets
  const unreadable = yield* Effect.findFirst(samples, (sample) => Effect.isFailure(open(keyring, sample)))
  return Option.isNone(unreadable)
})

/**
 * Seals secrets of older keys with the first key. Returns their number. A key without remaining secrets can be
 * removed.
 */
export const rotate = Effect.gen(function* () {
  const keyring = yield* Keyring.Keyring
  const targets = yield* TargetStore
  const [first] = keyring
  const keyIds = (yield* targets.sampleSecrets)
    .map(({ secret }) => keyIdOf(secret))
    .filter((id) => id !== first?.id && keyring.some((key) => key.id === id))
  let total = 0
  for (const keyId of keyIds) {
    while (true) {
      const stored = yield* targets.secretsOfKey(keyId, batchSize)
      for (const one of stored) {
        const secret = yield* open(keyring, one)
        if (yield* targets.replaceSecret(one, yield* seal(keyring, one.projectId, secret))) total++
      }
      if (stored.length < batchSize) break
    }
  }
  if (total > 0)
    yield* Effect.annotateLogs(Effect.logInfo("Secrets re-encrypted"), { key: first?.id, secrets: total })
  return total
}).pipe(Effect.withSpan("TargetSecret.rotate"))

export const job: Job<TargetStore> = {
  name: "rotate-secrets",
  run: rotate,
}

// internal

const decodeFields = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)),
)

const batchSize = 100

const placeOf = (projectId: ProjectId): string => `target of project ${projectId}`
