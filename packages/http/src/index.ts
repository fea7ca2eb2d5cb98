/** Errata over HTTP: the REST API, Sentry ingest, health and metrics, on Node and for fetch-style servers. */

export type { Asset, Dashboard } from "./dashboard/Dashboard.js"
export {
  addressOf,
  type BoundServer,
  ErrataServer,
  type ErrataServerOptions,
  ListenError,
} from "./ErrataServer.js"
export type { HttpOptions, MetricsOptions } from "./HttpOptions.js"
export type { Mcp, McpCall, McpHandler } from "./McpHandler.js"
export * as Mount from "./Mount.js"
export * as NodeOutboundClient from "./outbound/NodeOutboundClient.js"
export { type ForeignIdentity, PeopleIdentity } from "./site/PeopleIdentity.js"
export type { SiteRequest } from "./site/SiteRequest.js"
export * as WebHandler from "./WebHandler.js"
