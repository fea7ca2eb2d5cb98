export * as PostgresClient from "./PostgresClient.js"
export * as PostgresStorage from "./PostgresStorage.js"
