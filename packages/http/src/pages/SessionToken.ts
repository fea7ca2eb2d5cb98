/**
 * The session of a browser, for the dashboard: a bearer token in exchange for the cookie, and signing out. These are the
 * only routes for scripts that read the cookie. The REST API never does.
 */
import { Problem } from "@errata/api"
import { Sessions } from "@errata/core"
import { Session } from "@errata/core/internal"
import { Duration, Effect, Redacted } from "effect"
import * as Forms from "../site/Forms.js"
import { visitorOf } from "../site/PeopleIdentity.js"
import { problem } from "../site/ProblemAnswer.js"
import * as SiteCookies from "../site/SiteCookies.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteRequest } from "../site/SiteRequest.js"

/** The token has all rights of the user: an admin administrates with it, as with their API key. */
export const exchange = (request: SiteRequest): SiteEffect =>
  fromOwnPage(
    request,
    Effect.gen(function* () {
      const visitor = yield* visitorOf(request)
      if (visitor === null) return problem(request, Problem.unauthorized("You are not signed in"))
      const sessions = yield* Sessions
      const token =
        visitor.session === null
          ? yield* sessions.exchangeForeign(visitor.user)
          : yield* sessions.exchange(visitor.session)
      return {
        status: 200,
        headers: { "content-type": "application/json", "cache-control": "no-store" },
        body: JSON.stringify({
          access_token: Redacted.value(token),
          token_type: "Bearer",
          expires_in: Duration.toSeconds(Session.bearerLifetime),
        }),
      }
    }),
  )

/** Signs out. If an application signs users in, that session remains and only the tokens end. */
export const end = (request: SiteRequest): SiteEffect =>
  fromOwnPage(
    request,
    Effect.gen(function* () {
      const visitor = yield* visitorOf(request)
      const sessions = yield* Sessions
      if (visitor !== null) {
        yield* visitor.session === null
          ? sessions.endForeign(visitor.user.id)
          : sessions.end(visitor.user.id, visitor.session.id)
      }
      return {
        status: 204,
        cookies: [SiteCookies.clear(request, "session"), SiteCookies.clear(request, "form")],
      }
    }),
  )

// internal

/** Only for pages of the instance's own origin, which browsers send with each such request. */
const fromOwnPage = (request: SiteRequest, answer: SiteEffect): SiteEffect => {
  const origin = request.header("origin")
  return origin !== undefined && Forms.isOwnOrigin(request, origin) && Forms.isSameOrigin(request)
    ? answer
    : Effect.succeed(problem(request, Problem.forbidden(foreignOrigin(request))))
}

const foreignOrigin = ({ baseUrl }: SiteRequest): string =>
  `The request must come from a page of ${baseUrl}. If people use another address, set the base URL to it`
