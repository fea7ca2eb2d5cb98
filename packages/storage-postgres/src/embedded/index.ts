export * as EmbeddedPostgres from "./EmbeddedPostgres.js"
export * from "./EmbeddedPostgresError.js"
export * as KeyFile from "./KeyFile.js"
export * as TestDatabase from "./TestDatabase.js"
