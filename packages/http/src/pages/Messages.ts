/** Pages with a single message. */
import type { FormToken } from "../site/Forms.js"
import { tokenField } from "../site/Forms.js"
import { type Html, html } from "../site/Html.js"
import { page } from "../site/Layout.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"

export const message = (
  request: SiteRequest,
  status: number,
  title: string,
  text: Html,
  headers: Readonly<Record<string, string>> = {},
): SiteAnswer =>
  page(request, {
    title,
    status,
    isNarrow: true,
    headers,
    main: html`<h1>${title}</h1>
<p>${text}</p>
<p><a href="${request.href("/account")}">To your account</a></p>`,
  })

/** The hidden field that every form needs. */
export const hidden = (token: FormToken): Html =>
  html`<input type="hidden" name="${tokenField}" value="${token.value}">`
