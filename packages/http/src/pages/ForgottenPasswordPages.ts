/** Password reset by mail. Without mail, or if an application signs users in, these pages do not exist. */
import { AccountMails } from "@errata/core"
import { Effect } from "effect"
import * as Forms from "../site/Forms.js"
import { html } from "../site/Html.js"
import { page } from "../site/Layout.js"
import { nobodysBinding, PeopleIdentity } from "../site/PeopleIdentity.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { hidden, message } from "./Messages.js"
import { minutes } from "./SignInPages.js"

/** Requests the address of an account. */
export const show = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    if (!(yield* isOffered)) return missing(request)
    const token = Forms.tokenFor(request, nobodysBinding)
    return page(request, {
      title: "Forgot your password?",
      isNarrow: true,
      cookies: token.cookies,
      main: html`<h1>Forgot your password?</h1>
<p>Errata sends you a link by mail. It signs you in once, and you can then choose a new password.</p>
<form method="post" action="${request.href("/forgot_password")}">
${hidden(token)}
<label for="email_address">Email address</label>
<input id="email_address" name="email_address" type="email" autocomplete="username" maxlength="200" required>
<button>Send a link</button>
</form>
<p><a href="${request.href("/sign_in")}">Back to sign-in</a></p>`,
    })
  })

/** Responds with the same page in the same time, whether or not the account exists. */
export const submit = (request: SiteRequest): SiteEffect =>
  Effect.gen(function* () {
    if (!(yield* isOffered)) return missing(request)
    const sent = yield* Forms.read(request, nobodysBinding)
    const emailAddress = (sent.get("email_address") ?? "").slice(0, maxTyped)
    const mails = yield* AccountMails
    return yield* mails.requestReset({ emailAddress, address: request.address }).pipe(
      Effect.as(
        page(request, {
          title: "Check your mail",
          isNarrow: true,
          main: html`<h1>Check your mail</h1>
<p>If there is an account with this address, a mail is on its way. Its link works once, within 24 hours. Earlier links no longer work.</p>
<p>No mail after some minutes? Look in the folder for spam, or ask an admin for a sign-in link.</p>
<p><a href="${request.href("/sign_in")}">Back to sign-in</a></p>`,
        }),
      ),
      Effect.catchTag("TooManyAttempts", ({ retryAfter }) =>
        Effect.succeed(
          message(
            request,
            429,
            "Too many requests",
            html`Try again in ${minutes(retryAfter)}, or ask an admin for a sign-in link.`,
            { "retry-after": String(retryAfter) },
          ),
        ),
      ),
    )
  })

// internal

const maxTyped = 1_000

const isOffered = Effect.gen(function* () {
  return (yield* AccountMails).isSetUp && (yield* PeopleIdentity) === null
})

const missing = (request: SiteRequest): SiteAnswer =>
  message(
    request,
    404,
    "No mail",
    html`This instance sends no mail. Ask an admin for a one-time sign-in link.`,
  )
