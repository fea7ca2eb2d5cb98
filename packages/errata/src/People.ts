/** Sign-in by the application, in place of Errata's own pages. */
import type { IncomingMessage } from "node:http"
import type { ForeignIdentity } from "@errata/http"
import { Effect } from "effect"
import { originalOf } from "./RestoredRequest.js"

/** A request for one of Errata's pages. */
export interface PeopleRequest {
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The request that `nodeHandler` or `fetch` received, with properties that the application added, e.g. `session`. */
  readonly source: IncomingMessage | Request
}

/** The sign-in of your application in place of Errata's own. */
export interface People {
  /**
   * Returns the email address of the user who is signed in to the application, or null. It grants all permissions of
   * Errata's user with that address, so the application must have verified it. If this throws or rejects, the page
   * responds with 500 and the error is logged.
   */
  readonly identify: (
    request: PeopleRequest,
  ) => string | null | undefined | PromiseLike<string | null | undefined>
  /** Returns the URL of the application's sign-in page, which must redirect to `returnTo`, a URL of the instance. */
  readonly signInUrl: (returnTo: string) => string | URL
}

/** Adapts `People` to the port of the server. */
export const identityOf = (people: People): ForeignIdentity => ({
  identify: ({ header, source }) =>
    Effect.promise(async () => (await people.identify({ header, source: originalOf(source) })) ?? null),
  signInUrl: (returnTo) => String(people.signInUrl(returnTo)),
})
