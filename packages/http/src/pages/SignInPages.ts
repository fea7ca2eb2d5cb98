/** Sign-in with a password or a one-time link, and sign-out. */

import {
  AccessPolicy,
  AccountMails,
  Actor,
  CurrentActor,
  Projects,
  Sessions,
  type SignedIn,
  SignIn,
} from "@errata/core"
import { Session } from "@errata/core/internal"
import { Duration, Effect, Redacted } from "effect"
import * as Forms from "../site/Forms.js"
import { html } from "../site/Html.js"
import { page, redirect } from "../site/Layout.js"
import { nobodysBinding, PeopleIdentity, visitorOf } from "../site/PeopleIdentity.js"
import * as SiteCookies from "../site/SiteCookies.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { hidden, message } from "./Messages.js"

/** Redirects to the sign-in page, which leads back to `returnTo`. */
export const toSignIn = (request: SiteRequest, returnTo: string): Effect.Effect<SiteAnswer> =>
  Effect.map(PeopleIdentity, (foreign) =>
    foreign === null
      ? redirect(request, `/sign_in?next=${encodeURIComponent(returnTo)}`)
      : { status: 303, headers: { location: foreign.signInUrl(request.baseUrl + returnTo) } },
  )

export const show = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    const next = nextOf(request.query.get("next"), request.landing)
    if ((yield* visitorOf(request)) !== null) return redirect(request, next)
    if ((yield* PeopleIdentity) !== null) return yield* toSignIn(request, next)
    return yield* form(request, { next, emailAddress: "", problem: null, status: 200 })
  })

export const submit = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    if ((yield* PeopleIdentity) !== null) return elsewhere(request)
    const sent = yield* Forms.read(request, nobodysBinding)
    const next = nextOf(sent.get("next"), request.landing)
    const emailAddress = sent.get("email_address") ?? ""
    const attempt = {
      emailAddress,
      password: Redacted.make((sent.get("password") ?? "").slice(0, maxTyped)),
      address: request.address,
      userAgent: request.header("user-agent") ?? "",
    }
    return yield* Effect.flatMap(SignIn, (signIn) => signIn.withPassword(attempt)).pipe(
      Effect.flatMap((signedIn) => enter(request, signedIn, next)),
      Effect.catchTags({
        SignInRefused: () =>
          form(request, {
            next,
            emailAddress,
            problem: "The email address or the password is wrong.",
            status: 422,
          }),
        TooManyAttempts: ({ retryAfter }) =>
          form(request, {
            next,
            emailAddress,
            problem: `Too many attempts. Try again in ${minutes(retryAfter)}, or ask an admin for a sign-in link.`,
            status: 429,
            retryAfter,
          }),
      }),
    )
  })

/** Shows the user of a link without using it up, because mail scanners follow links. */
export const showLink = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    if ((yield* PeopleIdentity) !== null) return elsewhere(request)
    const token = request.query.get("token") ?? ""
    const next = nextOf(request.query.get("next"), request.landing)
    const signIn = yield* SignIn
    return yield* signIn.linkUser(Redacted.make(token)).pipe(
      Effect.map((user) => {
        const formToken = Forms.tokenFor(request, nobodysBinding)
        return page(request, {
          title: "Sign in",
          isNarrow: true,
          cookies: formToken.cookies,
          main: html`<h1>Sign in</h1>
<p>This link signs you in as <strong>${user.name}</strong> (${user.emailAddress}), once.</p>
<form method="post" action="${request.href("/sign_in/link")}">
${hidden(formToken)}
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="next" value="${next}">
<button>Sign in</button>
</form>`,
        })
      }),
      Effect.catchTag("SignInRefused", () => Effect.succeed(deadLink(request))),
    )
  })

export const useLink = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    if ((yield* PeopleIdentity) !== null) return elsewhere(request)
    const sent = yield* Forms.read(request, nobodysBinding)
    const signIn = yield* SignIn
    return yield* signIn
      .withLink(Redacted.make(sent.get("token") ?? ""), request.header("user-agent") ?? "")
      .pipe(
        Effect.flatMap((signedIn) => enter(request, signedIn, nextOf(sent.get("next"), request.landing))),
        Effect.catchTag("SignInRefused", () => Effect.succeed(deadLink(request))),
      )
  })

export const signOut = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    const visitor = yield* visitorOf(request)
    yield* Forms.read(request, visitor?.binding ?? nobodysBinding)
    if (visitor?.session != null) {
      yield* (yield* Sessions).end(visitor.user.id, visitor.session.id)
    }
    return redirect(request, "/sign_in", [
      SiteCookies.clear(request, "session"),
      SiteCookies.clear(request, "form"),
    ])
  })

/** Returns the path if it belongs to this instance, else the landing page, so that links are no open redirects. */
export const nextOf = (text: string | null, landing: string): string => {
  if (text === null || text.length > maxNext || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return landing
  if (!URL.canParse(text, "http://errata.invalid")) return landing
  const { host, pathname, search } = new URL(text, "http://errata.invalid")
  return host === "errata.invalid" && !pathname.startsWith("//") ? pathname + search : landing
}

/** A duration in whole minutes, for users. */
export const minutes = (seconds: number): string => {
  const count = Math.ceil(seconds / 60)
  return count === 1 ? "a minute" : `${count} minutes`
}

// internal

const projectsPage = "/projects"
const maxTyped = 1_000
const maxNext = 8_000

/** Returns the groups of the user's project instead of the list of projects, if the user has only one. */
const landingOf = (user: SignedIn["user"]) =>
  Effect.gen(function* () {
    const allowed = yield* AccessPolicy.instance("projects.list")
    const { items } = yield* (yield* Projects).list(allowed, { name: null }, { limit: 2, cursor: null })
    return items.length === 1 ? `/projects/${items[0]!.id}/groups` : projectsPage
  }).pipe(
    Effect.provideService(CurrentActor, Actor.Person({ user })),
    // The list of projects shows the error.
    Effect.orElseSucceed(() => projectsPage),
  )

/** Starts a new session with a new form secret, and ends the session that this browser had. */
const enter = Effect.fnUntraced(function* (request: SiteRequest, { token, user }: SignedIn, next: string) {
  const former = yield* visitorOf(request)
  if (former?.session != null) yield* (yield* Sessions).end(former.user.id, former.session.id)
  const target = next === projectsPage ? yield* landingOf(user) : next
  return redirect(request, target, [
    SiteCookies.write(request, "session", Redacted.value(token), Duration.toSeconds(Session.longestLifetime)),
    SiteCookies.clear(request, "form"),
  ])
})

const form = (
  request: SiteRequest,
  state: {
    readonly next: string
    readonly emailAddress: string
    readonly problem: string | null
    readonly status: number
    readonly retryAfter?: number
  },
): Effect.Effect<SiteAnswer, never, AccountMails> =>
  Effect.map(AccountMails, ({ isSetUp }) => {
    const token = Forms.tokenFor(request, nobodysBinding)
    return page(request, {
      title: "Sign in",
      status: state.status,
      isNarrow: true,
      keepsOpener: state.next.startsWith("/oauth/authorize?"),
      cookies: token.cookies,
      headers: state.retryAfter === undefined ? {} : { "retry-after": String(state.retryAfter) },
      main: html`<h1>Sign in</h1>
${state.problem !== null && html`<p class="problem" role="alert" id="problem">${state.problem}</p>`}
<form method="post" action="${request.href("/sign_in")}">
${hidden(token)}
<input type="hidden" name="next" value="${state.next}">
<label for="email_address">Email address</label>
<input id="email_address" name="email_address" type="email" autocomplete="username" maxlength="200" required value="${state.emailAddress.slice(0, 200)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required${state.problem !== null && html` aria-describedby="problem"`}>
<button>Sign in</button>
</form>
${
  isSetUp
    ? html`<p><a href="${request.href("/forgot_password")}">Forgot your password?</a></p>`
    : html`<p class="faint">No password yet, or forgotten? Ask an admin for a one-time sign-in link. ${onTheHost}</p>`
}`,
    })
  })

/** Without it, the only admin of an instance would have no way on. */
const onTheHost = html`If you run the server, print a link with <code>errata users sign-in-link EMAIL</code>.`

const deadLink = (request: SiteRequest): SiteAnswer =>
  message(
    request,
    410,
    "This link no longer works",
    html`The link was already used, was replaced by a newer one, or is older than 24 hours. Ask an admin for a new one. ${onTheHost}`,
  )

const elsewhere = (request: SiteRequest): SiteAnswer =>
  message(request, 404, "Sign in elsewhere", html`Sign in through the application that embeds Errata.`)
