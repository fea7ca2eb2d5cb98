import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { PolicyName } from "./Policy.js"

/** The stored settings of a policy; empty if none were ever changed. */
export type StoredPolicy = { readonly [setting: string]: unknown }

/** Stores the settings of the instance's policies. */
export class PolicyStore extends Context.Service<
  PolicyStore,
  {
    readonly find: (name: PolicyName) => Effect.Effect<StoredPolicy, StorageError>

    /** Reads a policy and locks it until the transaction ends, even if nothing is stored. */
    readonly lock: (name: PolicyName) => Effect.Effect<StoredPolicy, StorageError>

    /** Replaces the stored settings. Values are JSON. */
    readonly save: (
      name: PolicyName,
      settings: StoredPolicy,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/policy/PolicyStore") {}
