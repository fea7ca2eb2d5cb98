/** Stops mail by the link that every mail has. The link is the proof. The pages read and set no cookie. */
import { MemberMails, UnsubscribeFailed } from "@errata/core"
import { Effect } from "effect"
import { html } from "../site/Html.js"
import { type PageContent, page } from "../site/Layout.js"
import type { SiteEffect } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"

const prefix = "/unsubscribe/"

/** The token of a path; null for paths of other pages. */
export const tokenOf = (path: string): string | null => {
  const token = path.startsWith(prefix) ? path.slice(prefix.length) : ""
  return token === "" || token.includes("/") ? null : token
}

/** Asks. Programs that follow every link of a mail stop nothing. */
export const show = (request: SiteRequest, token: string): SiteEffect =>
  answered(
    request,
    Effect.map(
      Effect.flatMap(MemberMails, ({ subscriptionOf }) => subscriptionOf(token)),
      (subscription) =>
        told(request, {
          title: "Stop this mail?",
          main: html`<h1>Stop this mail?</h1>
<p>${
            subscription._tag === "Member"
              ? "You will get no more notifications and digests of this project by mail."
              : html`The address <strong>${subscription.address}</strong> will get no more notifications of this project.`
          }</p>
<form method="post" action="${request.href(prefix + token)}">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Stop this mail</button>
</form>`,
        }),
    ),
  )

/**
 * Stops it, for the form and for the one-click request of mail programs (RFC 8058). Both mean the same, so the content of the body
 * has no effect.
 */
export const submit = (request: SiteRequest, token: string): SiteEffect =>
  answered(
    request,
    Effect.gen(function* () {
      const mails = yield* MemberMails
      // Before the body, which strangers make as large as they may.
      yield* mails.subscriptionOf(token)
      yield* request.body
      const { _tag } = yield* mails.unsubscribe(token)
      return told(request, {
        title: "The mail is stopped",
        main: html`<h1>The mail is stopped</h1>
<p role="status">${
          _tag === "Member"
            ? "You get no more notifications and digests of this project by mail. To get them again, change your mail settings of the project."
            : "The address gets no more notifications of this project. An admin of the project can add it again."
        }</p>`,
      })
    }),
  )

// internal

const answered = <E, R>(
  request: SiteRequest,
  answer: Effect.Effect<SiteAnswer, E | UnsubscribeFailed, R>,
): Effect.Effect<SiteAnswer, Exclude<E, UnsubscribeFailed>, R> =>
  Effect.catchIf(
    answer,
    (error): error is UnsubscribeFailed => error instanceof UnsubscribeFailed,
    () =>
      Effect.succeed(
        told(request, {
          title: "This link does not work",
          status: 404,
          main: html`<h1>This link does not work</h1>
<p>It is incomplete, or what it stopped does not exist any more. Copy the whole link from the mail, or ask an admin of your instance.</p>`,
        }),
      ),
  )

/** The address of the page is a secret, so no other site gets it as a referrer. */
const told = (request: SiteRequest, content: PageContent): SiteAnswer => {
  const answer = page(request, { isNarrow: true, ...content })
  return { ...answer, headers: { ...answer.headers, "referrer-policy": "no-referrer" } }
}
