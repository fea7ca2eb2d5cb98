import type { Services } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { type Context, Effect, Layer } from "effect"

/** Stores in memory with replaced methods. */
export const changedStores = (
  change: (stores: Context.Context<Services.Stores>) => Context.Context<Services.Stores>,
): Layer.Layer<Services.Stores> => Layer.effectContext(Effect.map(MemoryStorage.make, change))
