/** Stops mail by the link that every mail has. The link is the proof. The pages read and set no cookie. */
import { MemberMails } from "@errata/core"
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

/** Requires a confirmation, since mail scanners follow links. */
export const show = (request: SiteRequest, token: string): SiteEffect =>
  Effect.gen(function* () {
    const mails = yield* MemberMails
    const subscription = yield* mails.subscriptionOf(token)
    return privatePage(request, {
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
    })
  }).pipe(Effect.catchTag("UnsubscribeFailed", () => Effect.succeed(unknownLink(request))))

/** Unsubscribes, for the form and for the one-click request of mail clients (RFC 8058). The body is ignored. */
export const submit = (request: SiteRequest, token: string): SiteEffect =>
  Effect.gen(function* () {
    const mails = yield* MemberMails
    // Before the body, which strangers make as large as they may.
    yield* mails.subscriptionOf(token)
    yield* request.body
    const { _tag } = yield* mails.unsubscribe(token)
    return privatePage(request, {
      title: "The mail is stopped",
      main: html`<h1>The mail is stopped</h1>
<p role="status">${
        _tag === "Member"
          ? "You get no more notifications and digests of this project by mail. To get them again, change your mail settings of the project."
          : "The address gets no more notifications of this project. An admin of the project can add it again."
      }</p>`,
    })
  }).pipe(Effect.catchTag("UnsubscribeFailed", () => Effect.succeed(unknownLink(request))))

// internal

const unknownLink = (request: SiteRequest): SiteAnswer =>
  privatePage(request, {
    title: "This link does not work",
    status: 404,
    main: html`<h1>This link does not work</h1>
<p>It is incomplete, or what it stopped does not exist any more. Copy the whole link from the mail, or ask an admin of your instance.</p>`,
  })

/** The address of the page is a secret, so no other site gets it as a referrer. */
const privatePage = (request: SiteRequest, content: PageContent): SiteAnswer => {
  const answer = page(request, { isNarrow: true, ...content })
  return { ...answer, headers: { ...answer.headers, "referrer-policy": "no-referrer" } }
}
