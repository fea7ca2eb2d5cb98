export type { PgPool } from "./PgPool.js"
export * as PostgresClient from "./PostgresClient.js"
export * as PostgresStorage from "./PostgresStorage.js"
export {
  make as makeRecentBlocks,
  type RecentBlock,
  RecentBlocks,
  type RecentBlocksService,
} from "./RecentBlocks.js"
