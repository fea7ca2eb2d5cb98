/**
 * The layout of all mail: one card with a title, in light and dark mode. Clients without style sheets show the light
 * colors, which are inline. Nothing is loaded from other servers.
 */
import { html, oneLine } from "../internal/Text.js"

/** HTML that is escaped already. */
export type Html = string

/** Escapes a text and truncates it to `maximum` characters. */
export const escaped = (text: string, maximum: number): Html => oneLine(text, maximum, html)

/** A page. The parts are HTML. */
export interface MailPage {
  readonly title: string
  /** The first words that lists of mail show after the subject. */
  readonly preview: string
  readonly accent: Accent
  readonly body: ReadonlyArray<Html>
  readonly footer: ReadonlyArray<Html>
}

/** The color of the line above a card. */
export type Accent = keyof typeof accents

/** Makes the HTML part of a mail. */
export const pageOf = ({ accent, body, footer, preview, title }: MailPage): Html => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title, 300)}</title>
<style>${styleSheet}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden">${escaped(preview, 200)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr>
<td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" class="card" style="width:100%;max-width:600px;background:#ffffff;border:1px solid #e2e5ea;border-radius:10px;border-collapse:separate;overflow:hidden">
<tr><td style="height:4px;line-height:4px;font-size:0;background:${accents[accent]};border-radius:10px 10px 0 0">&nbsp;</td></tr>
<tr><td class="inner" align="left" style="padding:24px 28px 28px;font-family:${sans};font-size:15px;line-height:1.5;color:#1b202b">
${body.join("\n")}
</td></tr>
</table>
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px"><tr>
<td class="muted foot" align="left" style="padding:16px 28px;font-family:${sans};font-size:12px;line-height:1.6;color:#5c6573">
${footer.join("<br>\n")}
</td></tr></table>
</td></tr></table>
</body>
</html>
`

/** A small line above the title. */
export const eyebrow = (content: Html): Html =>
  `<p class="muted" style="margin:0 0 6px;font-size:13px;color:#5c6573">${content}</p>`

/** The title of the card. */
export const heading = (content: Html): Html =>
  `<h1 class="text" style="margin:0;font-size:20px;line-height:1.35;font-weight:650;color:#1b202b;overflow-wrap:anywhere">${content}</h1>`

/** The title of a list. */
export const subheading = (content: Html): Html =>
  `<h2 class="text" style="margin:22px 0 6px;font-size:15px;line-height:1.4;color:#1b202b">${content}</h2>`

/** A paragraph. */
export const paragraph = (content: Html): Html =>
  `<p class="text" style="margin:14px 0 0;color:#1b202b;overflow-wrap:anywhere">${content}</p>`

/** A paragraph in small, quiet letters. */
export const note = (content: Html): Html =>
  `<p class="muted" style="margin:14px 0 0;font-size:13px;color:#5c6573;overflow-wrap:anywhere">${content}</p>`

/** A line of code below the title. */
export const codeLine = (content: Html): Html =>
  `<p class="muted" style="margin:6px 0 0;font-family:${mono};font-size:13px;color:#5c6573;overflow-wrap:anywhere">${content}</p>`

/** Lines of code, one below the other. */
export const codeBlock = (lines: ReadonlyArray<Html>): Html =>
  `<div class="code" style="margin:18px 0 0;padding:12px 14px;background:#f3f4f6;border-radius:8px;font-family:${mono};font-size:13px;line-height:1.65;overflow-wrap:anywhere">${lines
    .map((line) => `<div class="text" style="color:#1b202b">${line}</div>`)
    .join("")}</div>`

/** Quiet letters inside of a line. */
export const quiet = (content: Html): Html => `<span class="muted" style="color:#5c6573">${content}</span>`

/** Names with values. */
export const factTable = (facts: ReadonlyArray<readonly [label: Html, value: Html]>): Html =>
  `<table cellpadding="0" cellspacing="0" style="margin:18px 0 0;font-family:${sans};font-size:14px;line-height:1.5">${facts
    .map(
      ([label, value]) =>
        `<tr><th class="muted" align="left" valign="top" scope="row" style="padding:2px 18px 2px 0;font-weight:400;color:#5c6573;white-space:nowrap">${label}</th><td class="text" style="padding:2px 0;color:#1b202b;overflow-wrap:anywhere">${value}</td></tr>`,
    )
    .join("")}</table>`

/** A list of lines. */
export const list = (lines: ReadonlyArray<Html>): Html =>
  `<ul class="text" style="margin:0;padding:0 0 0 20px;color:#1b202b">${lines
    .map((line) => `<li style="margin:3px 0;overflow-wrap:anywhere">${line}</li>`)
    .join("")}</ul>`

/** A link in a text. The address is checked already. */
export const link = (url: string, content: Html): Html =>
  `<a class="link" href="${attribute(url)}" style="color:#1a5fb4">${content}</a>`

/** The one thing to do, and others beside it. Addresses are checked already. */
export const buttons = ([first, ...others]: ReadonlyArray<{
  readonly label: string
  readonly url: string
}>): ReadonlyArray<Html> =>
  first === undefined
    ? []
    : [
        `<p style="margin:24px 0 0">${[
          `<a class="button" href="${attribute(first.url)}" style="display:inline-block;margin:0 6px 6px 0;padding:9px 18px;border-radius:7px;background:#1a5fb4;color:#ffffff;font-weight:600;text-decoration:none">${escaped(first.label, 60)}</a>`,
          ...others.map(
            ({ label, url }) =>
              `<a class="plain" href="${attribute(url)}" style="display:inline-block;margin:0 6px 6px 0;padding:8px 15px;border:1px solid #c9ced6;border-radius:7px;color:#1b202b;text-decoration:none">${escaped(label, 60)}</a>`,
          ),
        ].join("")}</p>`,
      ]

// internal

const sans = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

const accents = { bad: "#d0342c", warning: "#d99100", neutral: "#1a5fb4", good: "#2f9e55" } as const

const attribute = (url: string): string => url.replaceAll("&", "&amp;")

const styleSheet = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.inner{padding:18px 18px 22px!important}.foot{padding:14px 18px!important}}
@media (prefers-color-scheme:dark){
.page{background:#12151b!important}
.card{background:#1b2029!important;border-color:#2e3542!important}
.code{background:#12151b!important}
.text{color:#e9ecf1!important}
.muted{color:#a4adbb!important}
.link{color:#86b7ff!important}
.button{background:#2f6fcb!important;color:#ffffff!important}
.plain{color:#e9ecf1!important;border-color:#465062!important}
}
`
