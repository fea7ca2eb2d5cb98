/** A storage in memory with an admin whose API key is known. */

import { Secrets } from "@errata/core/internal"
import { UserStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import type { ErrataStorage } from "../../src/index.js"

export const keyedStorage = async (): Promise<{
  readonly storage: ErrataStorage
  readonly apiKey: string
}> => {
  const stores = await Effect.runPromise(MemoryStorage.make)
  const apiKey = await Effect.runPromise(Secrets.generateApiKey)
  const admin = {
    name: "Admin",
    emailAddress: "admin@example.com",
    role: "admin",
    apiKeyHash: Secrets.hashApiKey(apiKey),
  } as const
  await Effect.runPromise(
    Effect.flatMap(DateTime.now, (now) => Context.get(stores, UserStore).insert(admin, now)),
  )
  return {
    storage: { name: "memory", layer: Layer.succeedContext(stores) },
    apiKey: Redacted.value(apiKey),
  }
}
