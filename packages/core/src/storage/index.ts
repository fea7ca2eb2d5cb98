/** Pages of lists. */
export * as Page from "./Page.js"
