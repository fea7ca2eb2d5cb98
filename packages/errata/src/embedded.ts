/** Errata's data in a PostgreSQL database that comes along, in a folder of the application's. */
import { EmbeddedStorage, KeyFile } from "@errata/storage-postgres/embedded"
import { Effect, Layer } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import { checkNames } from "./KnownNames.js"
import { explained } from "./StorageFailure.js"

/** Where the bundled database keeps its data. */
export interface EmbeddedOptions {
  /** The folder of the database alone; made where it is missing. One process at a time works on it. */
  readonly dir: string
}

/** A PostgreSQL server that runs as long as the instance, and as nobody else's: a child process with a private socket. */
export const embedded = (options: EmbeddedOptions): ErrataStorage => {
  checkNames(options, ["dir"], "embedded")
  if (typeof options.dir !== "string") throw new TypeError("embedded requires the option dir")
  return storageIn(options.dir)
}

// internal

const storageIn = (dir: string): ErrataStorage => ({
  name: `embedded database in ${dir}`,
  isExclusive: true,
  layer: Layer.effectContext(
    Effect.mapError(Layer.build(EmbeddedStorage.layer({ dataDir: dir })), (error) =>
      error._tag === "StorageError" ? explained(error) : { message: error.message, cause: error },
    ),
  ),
  ownKeys: (isNeeded) => KeyFile.keysIn(dir, isNeeded),
})
