/** Events of an attacker: scripts, hidden text, and broken layouts. */
import type { Event } from "./Site.js"

/** If it is parsed as markup, it changes the page's title or sends a request to another origin. */
export const markup = `"'><img src=x onerror="document.title='owned'"><script>document.title='owned'</script><svg onload="document.title='owned'"><a href="javascript:document.title='owned'">`

/** Turns text around, colors terminals, and ends lines. */
export const invisible = "\u202Eevil\u202C \u2066\u200B\u001b[31mred\u001b[0m \u0000 \u0007 \uD800 \u2028"

/** The part of it that a name can contain. */
export const turned = "\u202Eevil\u202C \u2066\u200B"

const long = "w".repeat(20_000)
const file = `/srv/${markup}/${"deep/".repeat(100)}${invisible}.js`

const frame = {
  filename: file,
  abs_path: `https://evil.example/${markup}`,
  function: `${markup}${invisible}`,
  module: markup,
  lineno: 1,
  in_app: true,
  pre_context: [markup, long],
  context_line: `${markup}${long}`,
  post_context: [invisible],
  vars: { [markup]: markup, long, list: [markup, invisible], "": { __proto__: null, nested: long } },
}

const event = (type: string, value: string): Event => ({
  level: "error",
  platform: "javascript",
  release: `${markup}@1`.slice(0, 200),
  environment: "prod<b>".slice(0, 60),
  server_name: markup,
  transaction: `${markup}${invisible}`,
  tags: { html: markup, invisible, long: long.slice(0, 200), javascript: "javascript:alert(1)" },
  user: { id: markup, email: `${invisible}@example.com`, username: long },
  request: {
    url: `javascript:document.title='owned'//${markup}`,
    method: "<b>",
    headers: { [markup]: long },
  },
  extra: { [markup]: invisible, long, link: "javascript:document.title='owned'" },
  contexts: { [markup]: { name: markup, long }, browser: { name: markup, version: invisible } },
  modules: { [markup]: invisible },
  breadcrumbs: [
    { category: markup, message: `${markup}${invisible}`, data: { url: `https://evil.example/${markup}` } },
    { category: "long", message: long, type: "http", data: { long } },
  ],
  exception: {
    values: [{ type, value, stacktrace: { frames: [frame, frame, { ...frame, in_app: false }] } }],
  },
})

/** Each event has its own group. */
export const events: Readonly<Record<string, Event>> = {
  markup: event(markup, markup),
  invisible: event(invisible, `${invisible}${markup}`),
  long: event(long, long),
}
