/** Errata over HTTP: the REST API, Sentry ingest and liveness, on Node and for fetch-style servers. */

export {
  addressOf,
  type BoundServer,
  ErrataServer,
  type ErrataServerOptions,
  ListenError,
} from "./ErrataServer.js"
export type { HttpOptions } from "./HttpOptions.js"
export { type ForeignIdentity, PeopleIdentity } from "./site/PeopleIdentity.js"
export type { SiteRequest } from "./site/SiteRequest.js"
export * as WebHandler from "./WebHandler.js"
