/** A bearer token for scripts of our own pages, so that the API itself never goes by a cookie. */

import { Lifetimes, Sessions } from "@errata/core"
import { Duration, Effect, Redacted } from "effect"
import * as Forms from "../site/Forms.js"
import { visitorOf } from "../site/PeopleIdentity.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"

/** Only for pages of the instance's own origin, and browsers say of each such request where it comes from. */
export const exchange = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    const origin = request.header("origin")
    if (origin === undefined || !Forms.isOwnOrigin(request, origin) || !Forms.isSameOrigin(request)) {
      return answer(403, { error: "Origin must be that of the instance" })
    }
    const visitor = yield* visitorOf(request)
    if (visitor === null) return answer(401, { error: "You are not signed in" })
    const sessions = yield* Sessions
    const token =
      visitor.session === null
        ? yield* sessions.exchangeForeign(visitor.user)
        : yield* sessions.exchange(visitor.session)
    return answer(200, {
      access_token: Redacted.value(token),
      token_type: "Bearer",
      expires_in: Duration.toSeconds(Lifetimes.bearer),
    })
  }).pipe(
    Effect.catchTag("NoAccount", () => Effect.succeed(answer(403, { error: "You have no account here" }))),
  )

// internal

const answer = (status: number, document: unknown): SiteAnswer => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: JSON.stringify(document),
})
