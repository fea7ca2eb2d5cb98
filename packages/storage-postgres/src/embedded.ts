/** The embedded server, in its own entry point so that other applications do not load it. */
export * as EmbeddedStorage from "./EmbeddedStorage.js"
export * from "./embedded/EmbeddedPostgresError.js"
export { EmbeddedPostgres, KeyFile, TestDatabase } from "./embedded/index.js"
