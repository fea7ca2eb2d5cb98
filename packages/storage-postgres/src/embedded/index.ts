export * as EmbeddedPostgres from "./EmbeddedPostgres.js"
export * from "./EmbeddedPostgresError.js"
export * as TestDatabase from "./TestDatabase.js"
