/** The layout of all pages, and their headers. */
import * as Brand from "../Brand.js"
import { escaped, type Html, html } from "./Html.js"
import type { SiteAnswer, SiteRequest } from "./SiteRequest.js"
import { stylesheetPath } from "./Stylesheet.js"

export interface PageContent {
  readonly title: string
  readonly main: Html
  readonly status?: number
  /** For pages with a single action. */
  readonly isNarrow?: boolean
  /** Content at the top right. */
  readonly aside?: Html
  readonly cookies?: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
  /** Another target of the page's forms: an origin, or a scheme with its colon. It applies to redirects as well. */
  readonly formTarget?: string
  /** For pages in a pop-up of an application, which needs the opener to receive the result. */
  readonly keepsOpener?: boolean
}

export const page = (request: SiteRequest, content: PageContent): SiteAnswer => ({
  status: content.status ?? 200,
  cookies: content.cookies ?? [],
  headers: {
    ...content.headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy(content.formTarget),
    "cache-control": "no-store",
    ...(content.keepsOpener ? {} : { "cross-origin-opener-policy": "same-origin" }),
    // With `no-referrer`, browsers send forms with the origin `null`, as other sites can.
    "referrer-policy": "same-origin",
  },
  body: documentOf(request, content),
})

/** Redirects to a path of this instance after a change. */
export const redirect = (
  request: SiteRequest,
  path: string,
  cookies: ReadonlyArray<string> = [],
): SiteAnswer => ({
  status: 303,
  headers: { location: request.href(path) },
  cookies,
})

// internal

const policy = (formTarget: string | undefined): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
  ].join("; ")

const documentOf = ({ href }: SiteRequest, { aside, isNarrow, main, title }: PageContent): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)} - Errata</title>
<link rel="icon" href="${escaped(Brand.icon)}">
<link rel="stylesheet" href="${escaped(href(stylesheetPath))}">
</head>
${
  html`<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="${href("/")}">Errata</a>${aside}</header>
<main id="main"${isNarrow && html` class="narrow"`}>
${main}
</main>
</body>`.text
}
</html>
`
