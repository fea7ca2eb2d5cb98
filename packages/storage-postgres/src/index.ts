export * as PostgresClient from "./PostgresClient.js"
export * as PostgresStorage from "./PostgresStorage.js"
export { make as makeRecentBodies, RecentBodies, type RecentBodiesService } from "./RecentBodies.js"
