/**
 * Three ports of the core in a SQLite file. They join no transaction of other ports, so they can be stored separately.
 * All processes that open the file share the counts and leases.
 */
import type { StorageError } from "@errata/core"
import { JobStore, RateWindow, ThrottleStore } from "@errata/core/ports"
import { Context, Effect, Layer } from "effect"
import * as Jobs from "./Jobs.js"
import * as RateWindows from "./RateWindows.js"
import * as Sqlite from "./Sqlite.js"
import * as Throttles from "./Throttles.js"

/** Replaces ports of a storage: `Layer.merge(PostgresStorage.layer({ url }), SqliteStores.layer(path))`. */
export const layer = (path: string): Layer.Layer<ThrottleStore | RateWindow | JobStore, StorageError> =>
  Layer.effectContext(
    Effect.map(Sqlite.open(path, Throttles.schema + RateWindows.schema + Jobs.schema), (sqlite) =>
      Context.make(ThrottleStore, Throttles.make(sqlite)).pipe(
        Context.add(RateWindow, RateWindows.make(sqlite)),
        Context.add(JobStore, Jobs.make(sqlite)),
      ),
    ),
  )
