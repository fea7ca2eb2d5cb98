import type { IngestRoute } from "./IngestRoute.js"
import type { RequestBody } from "./RequestBody.js"

/** A request of a Sentry client, as any server passes it on. */
export interface IngestRequest<Route extends IngestRoute = IngestRoute> {
  readonly route: Route
  readonly method: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Only read after the checks that need no body. */
  readonly body: RequestBody
}
