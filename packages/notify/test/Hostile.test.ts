/** Texts that try to break out of the markup, and texts that are too long, in every place that an application fills. */
import { GroupId, type Notification, ProjectId, Severity } from "@errata/core"
import { DateTime } from "effect"
import * as fc from "fast-check"
import { marked, type Token } from "marked"
import { describe, expect, it } from "vitest"
import { chatTargets } from "../src/index.js"
import { addresses } from "./support/Addresses.js"
import { bodyOf } from "./support/Sending.js"

const base = "https://errata.example.com"

const attack = fc.constantFrom(
  "<!channel>",
  "<@U123>",
  "@everyone",
  "@here",
  "<@&1>",
  "<script>alert(1)</script>",
  "</b></a><a href='https://evil.example'>",
  "&lt;",
  "&",
  "](https://evil.example)[",
  "[a](https://evil.example)",
  "![a](https://evil.example)",
  "https://evil.example/a",
  "<https://evil.example|here>",
  "```\n",
  "`",
  "**",
  "__",
  "\\",
  "\n# heading\n",
  "\n> quote",
  "{{DATE(2026-01-01T00:00:00Z)}}",
  `\${x}`,
  "~town-square",
  ":smile:",
  "<at>Ann</at>",
  "\u202e",
  "\0",
  "\ud83d",
  "😀",
  "👩‍👩‍👧",
)

const hostile = fc.oneof(
  fc
    .array(fc.oneof(attack, fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 30 })
    .map((parts) => parts.join("")),
  fc
    .tuple(attack, fc.integer({ min: 1, max: 2_000 }))
    .map(([text, times]) => text.repeat(times).slice(0, 2_000)),
)

const url = fc.option(
  fc.webPath().map((path) => `${base}/p${path}`),
  { nil: null },
)

const group = fc.record<NonNullable<Notification["group"]>>({
  id: fc.integer({ min: 1 }).map((id) => GroupId.make(id)),
  errorType: hostile,
  errorMessage: hostile,
  culprit: hostile,
  severity: fc.constantFrom(...Severity.severities),
  environment: hostile,
  release: hostile,
  reportsCount: fc.nat(),
  usersCount: fc.nat(),
  firstOccurredAt: fc.constant(DateTime.makeUnsafe(0)),
  lastOccurredAt: fc.constant(DateTime.makeUnsafe(0)),
  frames: fc.array(
    fc.record({ function: hostile, file: hostile, line: fc.option(fc.nat(), { nil: null }) }),
    { maxLength: 5 },
  ),
  url,
})

const notifications = fc.record<Notification>({
  version: fc.constant(1),
  id: fc.oneof(fc.uuid(), hostile),
  kind: fc.constantFrom("alert", "over", "summary", "digest", "test", "target_disabled"),
  at: fc.constant(DateTime.makeUnsafe(0)),
  project: fc.record({ id: fc.constant(ProjectId.make(1)), name: hostile, url }),
  rule: fc.option(fc.record({ id: fc.nat(), name: hostile }), { nil: null }),
  reason: hostile,
  group: fc.option(group, { nil: null }),
  sections: fc.array(
    fc.record({ title: hostile, lines: fc.array(fc.record({ text: hostile, url }), { maxLength: 30 }) }),
    { maxLength: 10 },
  ),
  settingsUrl: url,
})

/** Every text in a body. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (value === null || typeof value !== "object") return []
  return Object.values(value).flatMap(textsIn)
}

const at = (body: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], body)

const textAt = (body: unknown, ...path: ReadonlyArray<string | number>): string => String(at(body, ...path))

/** Links and images that Markdown has, its kinds of tokens, and its words outside of code. */
const markdownOf = (text: string) => {
  const links: Array<{ readonly href: string; readonly text: string }> = []
  const types = new Set<string>()
  let words = ""
  marked.walkTokens(marked.lexer(text, { gfm: true }), (token: Token) => {
    types.add(token.type)
    if (token.type === "text" || token.type === "escape") words += token.raw
    if (token.type === "link" || token.type === "image")
      links.push({ href: token["href"], text: token["text"] })
  })
  return { links, types, words }
}

const expectMarkdown = (text: string) => {
  const { links, types, words } = markdownOf(text)
  // Mattermost links addresses that begin with www.
  for (const { href, text: shown } of links)
    expect(href.startsWith(base) || href === `http://${shown}`).toBe(true)
  for (const type of ["html", "image", "heading", "blockquote", "table", "def"])
    expect(types).not.toContain(type)
  expect(words).not.toMatch(/@(everyone|here|channel|all)/)
}

/** Tags of HTML, which must be in pairs; all other brackets are escaped. */
const expectHtml = (text: string, allowed: ReadonlyArray<string>) => {
  const open: Array<string> = []
  const rest = text.replace(
    /<(\/?)([a-z]+)( href="(https:\/\/errata\.example\.com\/[^"<>]*)")?>/g,
    (_, slash, tag) => {
      expect(allowed).toContain(tag)
      if (tag === "br") return ""
      if (slash === "") open.push(tag)
      else expect(open.pop()).toBe(tag)
      return ""
    },
  )
  expect(open).toEqual([])
  expect(rest).not.toMatch(/[<>]/)
  expect(rest.replace(/&(amp|lt|gt|quot|#39);/g, "")).not.toContain("&")
}

/** The limits that each receiver documents, and its markup. */
const expectations: Readonly<Record<string, (body: unknown, size: number) => void>> = {
  slack: (body, size) => {
    expect(size).toBeLessThan(40_000)
    const blocks = at(body, "blocks") as ReadonlyArray<unknown>
    expect(textsIn(blocks).join("").length).toBeLessThan(13_000)
    expect(blocks.length).toBeLessThanOrEqual(50)
    expect(textsIn(blocks)).not.toContain("mrkdwn")
    expect(textAt(body, "text").replace(/&(amp|lt|gt);/g, "")).not.toMatch(/[<>&]/)
  },
  discord: (body) => {
    const embed = at(body, "embeds", 0)
    expect(textAt(embed, "title").length).toBeLessThanOrEqual(256)
    expect(textAt(embed, "author", "name").length).toBeLessThanOrEqual(256)
    expect(textAt(embed, "description").length).toBeLessThanOrEqual(4_096)
    expect(at(body, "allowed_mentions")).toEqual({ parse: [] })
    expectMarkdown(textAt(embed, "title"))
    expectMarkdown(textAt(embed, "description"))
  },
  teams: (body, size) => {
    expect(size).toBeLessThan(28_000)
    for (const text of textsIn(at(body, "attachments", 0, "content"))) expect(text).not.toContain("{{")
    const types = new Set(
      (at(body, "attachments", 0, "content", "body") as ReadonlyArray<unknown>).map((part) =>
        textAt(part, "type"),
      ),
    )
    // Text blocks would have markup.
    expect([...types]).toEqual(["RichTextBlock"])
  },
  mattermost: (body) => {
    expect(JSON.stringify(at(body, "attachments")).length).toBeLessThan(7_600)
    expectMarkdown(textAt(body, "attachments", 0, "text"))
    expect(textAt(body, "attachments", 0, "fallback")).not.toMatch(/@(everyone|here|channel|all)/)
  },
  google_chat: (body, size) => {
    expect(size).toBeLessThan(32_000)
    for (const section of (at(body, "cardsV2", 0, "card", "sections") ?? []) as ReadonlyArray<unknown>) {
      if (at(section, "header") !== undefined) expectHtml(textAt(section, "header"), [])
      for (const widget of at(section, "widgets") as ReadonlyArray<unknown>)
        if (at(widget, "textParagraph") !== undefined)
          expectHtml(textAt(widget, "textParagraph", "text"), ["a", "b", "i", "br"])
    }
  },
  telegram: (body) => {
    const text = textAt(body, "text")
    expectHtml(text, ["a", "b", "i", "pre"])
    const shown = text.replace(/<[^>]*>/g, "").replace(/&[a-z0-9#]+;/g, "?")
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.length).toBeLessThanOrEqual(4_096)
  },
  pagerduty: (body, size) => {
    expect(size).toBeLessThan(512_000)
    expect(textAt(body, "dedup_key").length).toBeLessThanOrEqual(255)
    if (at(body, "payload") !== undefined) {
      expect(textAt(body, "payload", "summary").length).toBeLessThanOrEqual(1_024)
      expect(textAt(body, "payload", "source").length).toBeGreaterThan(0)
    }
  },
  ntfy: (body) => {
    expect(Buffer.byteLength(textAt(body, "message"))).toBeLessThanOrEqual(4_096)
    expect(textAt(body, "message").length).toBeGreaterThan(0)
    expect((at(body, "actions") as ReadonlyArray<unknown>).length).toBeLessThanOrEqual(3)
  },
}

/** Nothing of its texts is left. */
const invisible: Notification = {
  version: 1,
  id: "",
  kind: "alert",
  at: DateTime.makeUnsafe(0),
  project: { id: ProjectId.make(1), name: "\u202e", url: null },
  rule: null,
  reason: "\u202e",
  group: null,
  sections: [],
  settingsUrl: null,
}

describe.each(chatTargets.map((target) => [target.kind, target] as const))("%s", (kind, target) => {
  it("keeps limits and markup with hostile texts", async () => {
    await fc.assert(
      fc.asyncProperty(notifications, async (notification) => {
        const body = await bodyOf(target, notification, addresses[kind]!)
        for (const text of textsIn(body)) {
          expect(text.isWellFormed()).toBe(true)
          expect(text).not.toMatch(/[\0\u202e]/)
        }
        expectations[kind]!(body, Buffer.byteLength(JSON.stringify(body)))
      }),
      { numRuns: 100, examples: [[invisible]] },
    )
  })
})
