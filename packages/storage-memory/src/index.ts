/** All ports of Errata's core in memory. */

export * as MemoryStorage from "./MemoryStorage.js"
