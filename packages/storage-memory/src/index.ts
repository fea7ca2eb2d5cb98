/** Every port of Errata's core, complete, in memory. */

export * as MemoryStorage from "./MemoryStorage.js"
