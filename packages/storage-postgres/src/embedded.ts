/** The embedded server: loaded only by who asks for it. */
export * as EmbeddedStorage from "./EmbeddedStorage.js"
export * from "./embedded/EmbeddedPostgresError.js"
export { EmbeddedPostgres, KeyFile, TestDatabase } from "./embedded/index.js"
