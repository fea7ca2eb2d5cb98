/** Requests to addresses that somebody gave; apart from the server, for programs that answer none. */
export * as NodeOutboundClient from "./NodeOutboundClient.js"
