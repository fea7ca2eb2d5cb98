/** All ports of the core on a PostgreSQL server that comes with the application and stores its data in a folder. */
import type { Services, StorageError } from "@errata/core"
import { Effect, Layer } from "effect"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.js"
import type { EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.js"
import * as PostgresStorage from "./PostgresStorage.js"

/** Starts the server, and stops it when the scope closes. Building it fails if another process uses the folder. */
export const layer = (
  options: EmbeddedPostgres.Options,
): Layer.Layer<Services.Stores, EmbeddedPostgresError | StorageError> =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.make(options), ({ url }) =>
      PostgresStorage.layer({ url, exclusive: true, diskPath: options.dataDir }),
    ),
  )
