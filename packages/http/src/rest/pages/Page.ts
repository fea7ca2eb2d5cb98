/** Small pages as HTML or plain text. They load no resources and run no scripts. */

import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Brand from "../../Brand.js"

export interface Page {
  readonly title: string
  /** One sentence below the title. */
  readonly lead: string
  /** Text between backticks is code. */
  readonly paragraphs: ReadonlyArray<string>
  readonly links: ReadonlyArray<Link>
  /** The last line, in small print. */
  readonly foot: string
}

export interface Link {
  readonly label: string
  readonly href: string
  /** Description of the target. */
  readonly text: string
}

/** Responds with HTML to browsers, else with plain text. */
export const answer = (page: Page) => {
  const html = htmlAnswer(page)
  const text = HttpServerResponse.text(textOf(page), { contentType: "text/plain; charset=utf-8", headers })
  return Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    takesHtml(request.headers["accept"]) ? html : text,
  )
}

export const htmlAnswer = (page: Page, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(htmlOf(page), { status, contentType: "text/html; charset=utf-8", headers })

/** True if `Accept` names HTML. Programs only send a wildcard. */
export const takesHtml = (accept: string | undefined): boolean =>
  /(?:^|[,\s])text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(accept ?? "")

// internal

const style = `
${Brand.style}${Brand.markBefore("h1")}main { max-width: 40rem; margin: 0 auto; padding: clamp(2rem, 10vh, 6rem) 1.25rem 2rem }
h1 { display: flex; gap: .5rem; align-items: center; margin: 0; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em }
.lead { margin: .5rem 0 2rem; font-size: 1.0625rem; color: var(--faint) }
p { margin: 0 0 1rem }
code { padding: .1em .3em; border-radius: .25rem; background: var(--shade); font: .9em ui-monospace, monospace }
ul { margin: 2rem 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
li { border-bottom: 1px solid var(--line) }
a { color: var(--link) }
li a { display: block; padding: .75rem 0; text-decoration: none }
li span { display: block; color: var(--faint); font-size: .9375rem }
li strong { font-weight: 600 }
a:hover strong, a:focus-visible strong { text-decoration: underline }
footer { color: var(--faint); font-size: .875rem }
`

const headers = {
  vary: "accept",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
}

const htmlOf = ({ foot, lead, links, paragraphs, title }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${Brand.icon}">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="lead">${escaped(lead)}</p>
${paragraphs.map((text) => `<p>${withCode(escaped(text))}</p>`).join("\n")}
<ul>
${links.map(({ href, label, text }) => `<li><a href="${escaped(href)}"><strong>${escaped(label)}</strong><span>${escaped(text)}</span></a></li>`).join("\n")}
</ul>
<footer>${escaped(foot)}</footer>
</main>
</body>
</html>
`

const withCode = (html: string): string => html.replace(/`([^`]+)`/g, "<code>$1</code>")

const textOf = ({ foot, lead, links, paragraphs, title }: Page): string =>
  `${[
    title,
    lead,
    ...paragraphs,
    links.map(({ href, label, text }) => `${label}: ${href}\n  ${text}`).join("\n"),
    foot,
  ].join("\n\n")}\n`

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
