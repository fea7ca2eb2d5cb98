/** The OAuth consent page, where a user authorizes an application. */

import { ErrataConfig, OAuth, type OAuthErrorCode, OAuthRefused } from "@errata/core"
import { Authorization, isDocumentAddress, type KnownClient, RedirectUri } from "@errata/core/internal"
import { Effect, Redacted, Result } from "effect"
import { namesOf } from "../oauth/OAuthNames.js"
import * as Forms from "../site/Forms.js"
import { type Html, html } from "../site/Html.js"
import { page } from "../site/Layout.js"
import { type Visitor, visitorOf } from "../site/PeopleIdentity.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { hidden, message } from "./Messages.js"
import { toSignIn } from "./SignInPages.js"

export interface ConsentSettings {
  readonly authorizationResponseIss: boolean
}

/** Shows the page to a signed-in user, after all parameters of the request are checked. */
export const show = (request: SiteRequest, settings: ConsentSettings): SiteEffect =>
  asked(request, settings, ({ client, redirectUri, wanted }) =>
    Effect.gen(function* () {
      const visitor = yield* visitorOf(request)
      if (visitor === null) return yield* toSignIn(request, `/oauth/authorize?${request.query}`)
      return consent(request, client, redirectUri, wanted, visitor)
    }),
  )

/** Redirects to the client with the decision of the user. */
export const decide = (request: SiteRequest, settings: ConsentSettings): SiteEffect =>
  asked(request, settings, ({ client, redirectUri, wanted }) =>
    Effect.gen(function* () {
      const visitor = yield* visitorOf(request)
      if (visitor === null) return yield* toSignIn(request, `/oauth/authorize?${request.query}`)
      const form = yield* Forms.read(request, visitor.binding)
      if (form.get("decision") !== "approve") {
        return back(request, settings, redirectUri, {
          error: "access_denied",
          error_description: "the user denied the request",
        })
      }
      const code = yield* (yield* OAuth).approve(visitor.user, client, redirectUri, wanted)
      return back(request, settings, redirectUri, { code: Redacted.value(code) })
    }),
  )

// internal

interface Asked {
  readonly client: KnownClient
  readonly redirectUri: string
  readonly wanted: Authorization.AuthorizationRequest
}

/** Shows errors on a page, not by a redirect, until the client and its redirect URI are known to belong together. */
const asked = <E, R>(
  request: SiteRequest,
  settings: ConsentSettings,
  go: (asked: Asked) => Effect.Effect<SiteAnswer, E, R>,
) =>
  Effect.gen(function* () {
    const { query } = request
    const { serviceName } = yield* ErrataConfig
    const [clientId, redirectUri] = [query.get("client_id"), query.get("redirect_uri")]
    if (clientId === null || isRepeated(query, "client_id") || isRepeated(query, "redirect_uri")) {
      return wrong(request, "The request must have exactly one client_id.")
    }
    // Only for signed-in users: otherwise anyone could make the server fetch any address as a client document.
    if (isDocumentAddress(clientId) && (yield* visitorOf(request)) === null) {
      return yield* toSignIn(request, `/oauth/authorize?${query}`)
    }
    const oauth = yield* OAuth
    const found = yield* oauth
      .findClient(clientId, redirectUri, request.address)
      .pipe(Effect.catchTag("OAuthRefused", (refused) => Effect.succeed(refused)))
    if (found instanceof OAuthRefused) {
      return wrong(request, `${sentence(found)} No data was sent.`)
    }
    const { client, redirectUri: to } = found
    const repeated = onceOnly.find((name) => isRepeated(query, name))
    if (repeated !== undefined) {
      return mistaken(request, settings, to, "invalid_request", `${repeated} occurs more than once`)
    }
    const wanted = yield* Effect.result(
      Authorization.readRequest(
        {
          responseType: query.get("response_type"),
          scope: query.get("scope"),
          codeChallenge: query.get("code_challenge"),
          codeChallengeMethod: query.get("code_challenge_method"),
          resources: query.getAll("resource"),
          prompt: query.get("prompt"),
        },
        namesOf(request.baseUrl, serviceName),
      ),
    )
    if (Result.isFailure(wanted)) {
      const { description, error } = wanted.failure
      return mistaken(request, settings, to, error, description)
    }
    return yield* go({ client, redirectUri: to, wanted: wanted.success })
  })

const isRepeated = (query: URLSearchParams, name: string): boolean => query.getAll(name).length > 1

const onceOnly = [
  "response_type",
  "scope",
  "code_challenge",
  "code_challenge_method",
  "prompt",
  "state",
] as const

const sentence = ({ description }: OAuthRefused): string =>
  `${description.charAt(0).toUpperCase()}${description.slice(1)}.`

const wrong = (request: SiteRequest, text: Html | string): SiteAnswer =>
  message(request, 400, "This application cannot be connected", html`${text}`)

/**
 * Reports an invalid request to its client. Anyone can register a redirect URI, so a link alone must not redirect to
 * another host (open redirect). Only loopback redirect URIs are redirected to immediately.
 */
const mistaken = (
  request: SiteRequest,
  settings: ConsentSettings,
  redirectUri: string,
  error: OAuthErrorCode,
  description: string,
): SiteAnswer => {
  const location = answerAt(request, settings, redirectUri, { error, error_description: description })
  if (RedirectUri.isLoopback(redirectUri)) return sent(location)
  return wrong(
    request,
    html`The request of the application is invalid: ${description}.
<a rel="noreferrer" href="${location}">Back to ${RedirectUri.redirectPlace(redirectUri)}</a>`,
  )
}

const back = (
  request: SiteRequest,
  settings: ConsentSettings,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
): SiteAnswer => sent(answerAt(request, settings, redirectUri, answer))

const sent = (location: string): SiteAnswer => ({
  status: 303,
  headers: { location, "cache-control": "no-store" },
})

/** Keeps the existing query of the redirect URI. */
const answerAt = (
  request: SiteRequest,
  { authorizationResponseIss }: ConsentSettings,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
): string => {
  const parameters = new URLSearchParams(answer)
  const state = request.query.get("state")
  if (state !== null) parameters.set("state", state)
  if (authorizationResponseIss) parameters.set("iss", request.baseUrl)
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`
}

const consent = (
  request: SiteRequest,
  client: KnownClient,
  redirectUri: string,
  { grants }: Authorization.AuthorizationRequest,
  visitor: Visitor,
): SiteAnswer => {
  const token = Forms.tokenFor(request, visitor.binding)
  const isLoopback = RedirectUri.isLoopback(redirectUri)
  return page(request, {
    title: "Connect an application",
    isNarrow: true,
    keepsOpener: true,
    cookies: token.cookies,
    formTarget: formTargetOf(redirectUri),
    main: html`<h1>Connect an application</h1>
<p><strong>${client.name}</strong> requests access to act for you, <strong>${visitor.user.name}</strong> (${visitor.user.emailAddress}), on this Errata server.</p>
<p>It could:</p>
<ul class="plain">
<li>read the projects, groups, reports and notes that you can see</li>
${grants.includes("write") && html`<li>change what you can change: resolve, mute, merge and assign groups, write notes</li>`}
${grants.includes("write") && visitor.user.role === "admin" && html`<li>because you are an admin: change projects, apps, webhooks and the settings of this server</li>`}
</ul>
<p class="faint">It cannot change your account or other accounts.</p>
<p>You are sent to <strong>${RedirectUri.redirectPlace(redirectUri)}</strong> afterwards.</p>
${
  isLoopback
    ? html`<p class="warning">The request comes from a program on this computer, and any program on it can use this name. Approve only if you have just started this yourself.</p>`
    : html`<p class="faint">The application chose this name itself. Approve only if you know where the request comes from.</p>`
}
<form method="post" action="${request.href(`/oauth/authorize?${request.query}`)}">
${hidden(token)}
<div class="actions">
<button name="decision" value="approve">Approve</button>
<button class="quiet" name="decision" value="deny">Cancel</button>
</div>
</form>
<p class="faint">You can disconnect it on your account page at any time.</p>`,
  })
}

/** The redirect URI as a source in a policy. Addresses in brackets are not allowed there: only the scheme is used. */
const formTargetOf = (redirectUri: string): string => {
  const { hostname, origin, protocol } = new URL(redirectUri)
  return (protocol === "http:" || protocol === "https:") && !hostname.startsWith("[") ? origin : protocol
}
