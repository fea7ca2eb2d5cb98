import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { PolicyName } from "./Policy.js"

/** What was set of a policy, by setting; empty where nothing ever was. */
export type StoredPolicy = { readonly [setting: string]: unknown }

/** Keeps what was set of the instance's policies. */
export class PolicyStore extends Context.Service<
  PolicyStore,
  {
    readonly find: (name: PolicyName) => Effect.Effect<StoredPolicy, StorageError>

    /** Finds a policy that nobody else can change until the transaction ends, also where nothing is stored. */
    readonly lock: (name: PolicyName) => Effect.Effect<StoredPolicy, StorageError>

    /** Replaces what is stored; values are JSON. */
    readonly save: (
      name: PolicyName,
      settings: StoredPolicy,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/policy/PolicyStore") {}
