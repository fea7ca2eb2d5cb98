/** The frame of every page, and the headers that it is sent with. */
import { escaped, type Html, html } from "./Html.js"
import type { SiteAnswer, SiteRequest } from "./SiteRequest.js"
import { stylesheetPath } from "./Stylesheet.js"

export interface PageContent {
  readonly title: string
  readonly main: Html
  readonly status?: number
  /** For pages with one thing to do. */
  readonly isNarrow?: boolean
  /** What stands at the right of the top. */
  readonly aside?: Html
  readonly cookies?: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
  /** Where else its forms may lead: an origin, or a scheme with its colon. Browsers hold redirects to it as well. */
  readonly formTarget?: string
  /** For pages on the way of an application that waits in the window around a pop-up: it is told there what came of it. */
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
    // Under a policy without any referrer browsers send forms with the origin "null": nobody could tell them from others'.
    "referrer-policy": "same-origin",
  },
  body: documentOf(request, content),
})

/** To a path of this instance, after something was done. */
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

// The icon is the one of the other pages: a dot in the color of the mark.
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='3' fill='%23d2453c'/%3E%3C/svg%3E"

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
<link rel="icon" href="${escaped(icon)}">
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
