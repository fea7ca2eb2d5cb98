/**
 * Two ports of the core in a SQLite file. They join no transaction of other ports, so they can be stored separately.
 * All processes that open the file share the counts and leases.
 */
import type { StorageError } from "@errata/core"
import { JobStore, RateLimitStore } from "@errata/core/ports"
import { Context, Effect, Layer } from "effect"
import * as Jobs from "./Jobs.js"
import * as RateLimits from "./RateLimits.js"
import * as Sqlite from "./Sqlite.js"

/** Replaces ports of a storage: `Layer.merge(PostgresStorage.layer({ url }), SqliteStores.layer(path))`. */
export const layer = (path: string): Layer.Layer<RateLimitStore | JobStore, StorageError> =>
  Layer.effectContext(
    Effect.map(Sqlite.open(path, RateLimits.schema + Jobs.schema), (sqlite) =>
      Context.make(RateLimitStore, RateLimits.make(sqlite)).pipe(Context.add(JobStore, Jobs.make(sqlite))),
    ),
  )
