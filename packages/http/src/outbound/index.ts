/** Outbound requests to user-supplied addresses, without the server. */
export * as NodeOutboundClient from "./NodeOutboundClient.js"
