/** Stores data in a bundled PostgreSQL, in a folder of the application. */
import { EmbeddedStorage, KeyFile } from "@errata/storage-postgres/embedded"
import { Effect, Layer } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import { checkNames } from "./KnownNames.js"
import { explained } from "./StorageFailure.js"

/** Options of the bundled database. */
export interface EmbeddedOptions {
  /** The folder of the database. It is created if missing. Only one process at a time can use it. */
  readonly dir: string
}

/** A bundled PostgreSQL server that runs as long as the instance: a child process that listens on a private socket. */
export const embedded = (options: EmbeddedOptions): ErrataStorage => {
  checkNames(options, ["dir"], "embedded")
  if (typeof options.dir !== "string" || options.dir === "") {
    throw new TypeError("embedded requires the option dir, the folder of the database")
  }
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
