/** The stores and their client on a new database. */

import type { Services, StorageError } from "@errata/core"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as PostgresClient from "../../src/PostgresClient.js"
import * as PostgresStorage from "../../src/PostgresStorage.js"
import { migratedDatabase } from "./database.js"

export const layer = (
  options: Omit<PostgresClient.PostgresOptions, "url"> = {},
): Layer.Layer<Services.Stores | SqlClient.SqlClient, StorageError | SqlError.SqlError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* migratedDatabase
      return Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ ...options, url }))
    }),
  )
