/** The people of the application around, in place of those who sign in with Errata's own pages. */
import type { IncomingMessage } from "node:http"
import type { ForeignIdentity } from "@errata/http"
import { Effect } from "effect"
import { originalOf } from "./RestoredRequest.js"

/** A request for a page of Errata's. */
export interface PeopleRequest {
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** What `nodeHandler` or `fetch` was given, with all that the application has hung on it, such as `session`. */
  readonly source: IncomingMessage | Request
}

/** The sign-in of your application in place of Errata's own. */
export interface People {
  /**
   * The e-mail address of whoever is signed in to the application; null for nobody. Whose it is can do what the user of that
   * address can do, so it must be one that the application has verified. Where it throws or rejects, the page is a 500
   * and the log tells why.
   */
  readonly identify: (
    request: PeopleRequest,
  ) => string | null | undefined | PromiseLike<string | null | undefined>
  /** Where people sign in to the application. They are to come back to `returnTo`, an address of the instance. */
  readonly signInUrl: (returnTo: string) => string | URL
}

/** The same as the port of the server. */
export const identityOf = (people: People): ForeignIdentity => ({
  identify: ({ header, source }) =>
    Effect.promise(async () => (await people.identify({ header, source: originalOf(source) })) ?? null),
  signInUrl: (returnTo) => String(people.signInUrl(returnTo)),
})
