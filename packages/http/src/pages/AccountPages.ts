/** Pages of the user's own account. */

import {
  AccessPolicy,
  Actor,
  CurrentActor,
  OAuth,
  type Session,
  SessionId,
  Sessions,
  SignIn,
  Users,
  type ValidationError,
} from "@errata/core"
import { type Connection, ConnectionId, Password } from "@errata/core/internal"
import Bowser from "bowser"
import { DateTime, Effect, Redacted } from "effect"
import * as Forms from "../site/Forms.js"
import { type Html, html } from "../site/Html.js"
import { page, redirect } from "../site/Layout.js"
import { type Visitor, visitorOf } from "../site/PeopleIdentity.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { hidden } from "./Messages.js"
import { toSignIn } from "./SignInPages.js"

export const show = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    const visitor = yield* visitorOf(request)
    return visitor === null ? yield* toSignIn(request, "/account") : yield* account(request, visitor, {})
  })

/** The response shows the new key, which cannot be displayed again. */
export const rotateApiKey = (request: SiteRequest): SiteEffect =>
  changed(request, (_, visitor) =>
    Effect.gen(function* () {
      return yield* account(request, visitor, yield* newApiKey)
    }).pipe(
      Effect.provideService(CurrentActor, Actor.Person({ user: visitor.user })),
      Effect.catchTag("UserNotFound", () => toSignIn(request, "/account")),
    ),
  )

export const setPassword = (request: SiteRequest): SiteEffect =>
  changed(request, (form, { session, user, ...visitor }) =>
    Effect.gen(function* () {
      if (session === null) return redirect(request, "/account")
      const change = {
        current: typed(form, "current_password"),
        password: typed(form, "new_password"),
      }
      yield* (yield* SignIn).setPassword({ session, user }, change)
      const isDisconnected = form.has("disconnect_apps")
      if (isDisconnected) yield* (yield* OAuth).disconnectAll(user.id)
      const key = form.has("replace_api_key") ? yield* newApiKey : {}
      return yield* account(
        request,
        { session, user, ...visitor },
        { isPasswordSet: true, isDisconnected, ...key },
      )
    }).pipe(
      Effect.provideService(CurrentActor, Actor.Person({ user })),
      Effect.catchTags({
        UserNotFound: () => toSignIn(request, "/account"),
        ValidationError: ({ errors }) =>
          account(request, { session, user, ...visitor }, { passwordProblem: sentenceOf(errors) }),
        TooManyAttempts: () =>
          account(
            request,
            { session, user, ...visitor },
            {
              passwordProblem: "The current password was wrong too often. Try again in 15 minutes.",
            },
          ),
      }),
    ),
  )

export const endSession = (request: SiteRequest): SiteEffect =>
  changed(request, (form, { user }) =>
    Effect.gen(function* () {
      const id = idOf(form)
      if (id !== null) yield* (yield* Sessions).end(user.id, SessionId.make(id))
      return redirect(request, "/account")
    }),
  )

export const disconnect = (request: SiteRequest): SiteEffect =>
  changed(request, (form, { user }) =>
    Effect.gen(function* () {
      const id = idOf(form)
      if (id !== null) yield* (yield* OAuth).disconnect(user.id, ConnectionId.make(id))
      return redirect(request, "/account")
    }),
  )

// internal

const newApiKey = Effect.gen(function* () {
  const allowed = yield* AccessPolicy.instance("account.change")
  const { apiKey } = yield* (yield* Users).rotateOwnApiKey(allowed)
  return { apiKey }
})

interface News {
  readonly apiKey?: Redacted.Redacted
  readonly isPasswordSet?: boolean
  readonly isDisconnected?: boolean
  readonly passwordProblem?: string
}

/** Runs a change for the signed-in user who sent one of our forms. */
const changed = <E, R>(
  request: SiteRequest,
  change: (form: URLSearchParams, visitor: Visitor) => Effect.Effect<SiteAnswer, E, R>,
) =>
  Effect.gen(function* () {
    const visitor = yield* visitorOf(request)
    if (visitor === null) return yield* toSignIn(request, "/account")
    return yield* change(yield* Forms.read(request, visitor.binding), visitor)
  })

const typed = (form: URLSearchParams, name: string): Redacted.Redacted =>
  Redacted.make((form.get(name) ?? "").slice(0, 1_000))

const idOf = (form: URLSearchParams): number | null => {
  const text = form.get("id") ?? ""
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}

const fieldNames: Readonly<Record<string, string>> = {
  current: "The current password",
  password: "The new password",
}

const sentenceOf = (errors: ValidationError["errors"]): string =>
  Object.entries(errors)
    .map(([field, [said = ""]]) => `${fieldNames[field] ?? field} ${said}.`)
    .join(" ")

const account = (request: SiteRequest, visitor: Visitor, news: News) =>
  Effect.gen(function* () {
    const { session, user } = visitor
    const token = Forms.tokenFor(request, visitor.binding)
    const hasPassword = session === null ? false : yield* (yield* SignIn).hasPassword(user.id)
    const sessions = session === null ? [] : yield* (yield* Sessions).list(user.id)
    const connections = yield* (yield* OAuth).connections(user.id)
    const form = (action: string, content: Html) =>
      html`<form method="post" action="${request.href(action)}">${hidden(token)}${content}</form>`
    return page(request, {
      title: "Your account",
      status: news.passwordProblem === undefined ? 200 : 422,
      cookies: token.cookies,
      aside: html`${request.landing !== "/account" && html`<a href="${request.href(request.landing)}">Projects</a>`}
${session !== null && form("/sign_out", html`<button class="quiet">Sign out</button>`)}`,
      main: html`<h1>Your account</h1>
<dl><dt>Name</dt><dd>${user.name}</dd><dt>Email</dt><dd>${user.emailAddress}</dd><dt>Role</dt><dd>${user.role}</dd></dl>
${apiKeySection(form, news)}
${session !== null && passwordSection(form, user.emailAddress, hasPassword && session.method === "password", hasPassword, news)}
${session !== null && sessionsSection(form, sessions, session)}
${connectionsSection(form, connections)}`,
    })
  })

type Form = (action: string, content: Html) => Html

const apiKeySection = (form: Form, { apiKey }: News): Html => html`<section aria-labelledby="api-access">
<h2 id="api-access">API access</h2>
${
  apiKey === undefined
    ? html`<p>Programs use your API key to act for you. Errata does not store a readable copy. If you lose the key, create a new one.</p>`
    : html`<p role="status">This is your API key. It is shown only now. The previous key no longer works.</p>
<p><code class="secret">${Redacted.value(apiKey)}</code></p>`
}
${form("/account/api_key", html`<button class="quiet">Create a new API key</button>`)}
<p class="faint">A new key replaces the current one, which stops working.</p>
</section>`

const passwordSection = (
  form: Form,
  emailAddress: string,
  asksForCurrent: boolean,
  hasPassword: boolean,
  { isDisconnected, isPasswordSet, passwordProblem }: News,
): Html => html`<section aria-labelledby="password">
<h2 id="password">Password</h2>
${isPasswordSet && html`<p class="note" role="status">The password is set. Your other sessions have ended.${isDisconnected && " All applications are disconnected."}</p>`}
${passwordProblem !== undefined && html`<p class="problem" role="alert" id="password-problem">${passwordProblem}</p>`}
${!hasPassword && html`<p>You have no password yet. Set one to sign in without a link.</p>`}
${form(
  "/account/password",
  html`<input name="username" autocomplete="username" value="${emailAddress}" hidden>
${
  asksForCurrent &&
  html`<label for="current_password">Current password</label>
<input id="current_password" name="current_password" type="password" autocomplete="current-password" maxlength="${Password.maxLength}" required>`
}
<label for="new_password">New password</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" minlength="${Password.minLength}" maxlength="${Password.maxLength}" required aria-describedby="${passwordProblem === undefined ? "" : "password-problem "}password-rule">
<p class="faint" id="password-rule">At least ${Password.minLength} characters. Your other sessions end.</p>
<label class="choice"><input type="checkbox" name="replace_api_key">Replace my API key as well</label>
<label class="choice"><input type="checkbox" name="disconnect_apps">Disconnect all applications as well</label>
<p class="faint">Choose both if another person may have used your account.</p>
<button>${hasPassword ? "Change the password" : "Set the password"}</button>`,
)}
</section>`

/** Returns for example `Chrome on Linux`, or the text itself if it names no known browser. */
const programOf = (userAgent: string): string => {
  if (userAgent === "") return "An unknown program"
  const { browser, os } = Bowser.parse(userAgent)
  if (!browser.name) return userAgent
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}

const sessionsSection = (
  form: Form,
  sessions: ReadonlyArray<Session>,
  current: Session,
): Html => html`<section aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<ul class="list">${sessions.map(
  (session) => html`<li><div>
<p><strong title="${session.userAgent}">${programOf(session.userAgent)}</strong></p>
<p class="faint">${session.id === current.id && "This browser. "}Signed in by ${session.method} ${moment(session.createdAt)}, last used ${moment(session.lastUsedAt)}</p>
</div>${
    session.id !== current.id &&
    form(
      "/account/sessions/end",
      html`<input type="hidden" name="id" value="${session.id}"><button class="quiet" aria-label="End the session of ${minute(session.createdAt)}">End</button>`,
    )
  }</li>`,
)}</ul>
</section>`

const connectionsSection = (
  form: Form,
  connections: ReadonlyArray<Connection>,
): Html => html`<section aria-labelledby="apps">
<h2 id="apps">Connected applications</h2>
${
  connections.length === 0
    ? html`<p class="faint">No applications are connected.</p>`
    : html`<ul class="list">${connections.map(
        ({ clientName, createdAt, grants, id, lastUsedAt }) => html`<li><div>
<p><strong>${clientName}</strong></p>
<p class="faint">${grants.includes("write") ? "Reads and changes" : "Reads"}; connected ${moment(createdAt)}, last used ${moment(lastUsedAt)}</p>
</div>${form(
          "/account/apps/revoke",
          html`<input type="hidden" name="id" value="${id}"><button class="quiet" aria-label="Disconnect ${clientName}">Disconnect</button>`,
        )}</li>`,
      )}</ul>`
}
</section>`

const moment = (time: DateTime.Utc): Html =>
  html`<time datetime="${DateTime.formatIso(time)}">${minute(time)}</time>`

const minute = (time: DateTime.Utc): string =>
  `${DateTime.formatIso(time).slice(0, 16).replace("T", " ")} UTC`
