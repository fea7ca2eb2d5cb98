/** Health checks of an instance, made on its storage by a process beside the server. */
import { ErrataConfig, Health } from "@errata/core"
import { Keyring } from "@errata/core/ports"
import { Effect, References, Result } from "effect"
import * as EncryptionKeys from "./EncryptionKeys.js"
import type { ServerChoice } from "./ServerChoice.js"
import type { StatusCheck, StatusWarning } from "./StatusAdvice.js"
import * as Storage from "./Storage.js"

export interface StorageState {
  readonly checks: ReadonlyArray<StatusCheck>
  readonly warnings: ReadonlyArray<StatusWarning>
  /** A sentence about skipped checks, or null if there were none. */
  readonly unchecked: string | null
}

/** Reads the state. Never fails: if the storage cannot be opened, the checks are skipped. */
export const readStorage = ({
  encryptionKeys,
  settings,
  storage,
}: Pick<ServerChoice, "encryptionKeys" | "settings" | "storage">): Effect.Effect<StorageState> =>
  Effect.gen(function* () {
    // No other process can read the memory of a server.
    if (storage.kind === "memory") return { ...nothing, unchecked: null }
    const health = yield* Storage.openHealth(storage)
    const found = yield* Effect.result(EncryptionKeys.besideServer({ encryptionKeys, storage }))
    // With an invalid key file no secret can be decrypted, which the check of the keys reports.
    const keyring = Result.getOrElse(found, () => encryptionKeys)
    const { findings, warnings } = yield* Effect.flatMap(Health, ({ details }) => details).pipe(
      Effect.provide(health),
      Effect.provideService(Keyring.Keyring, keyring),
      Effect.provideService(ErrataConfig, settings),
    )
    const isKeyMissing = Result.isSuccess(found) && keyring.length === 0
    const isJudged = ({ code }: StatusCheck) => !(isKeyMissing && code === "encryption_key_invalid")
    const checks = findings.filter(isJudged)
    return {
      checks,
      warnings: warnings.map((code) => ({ code })),
      unchecked:
        checks.length === findings.length
          ? null
          : "The encryption key was not checked: ERRATA_ENCRYPTION_KEY is not set here.",
    }
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.succeed({ ...nothing, unchecked: `The storage was not checked: ${message.split("\n", 1)[0]}` }),
    ),
    // Ingest protection would log the same problems that the checks report.
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.scoped,
  )

// internal

const nothing = { checks: [], warnings: [] }
