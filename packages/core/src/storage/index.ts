/** Lists page by page. */
export * as Page from "./Page.js"
