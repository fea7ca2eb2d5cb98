/** Groups and reports as Markdown: order, folding and length limits. */
import { DateTime } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ErrorEvent, EventDetails, Frame } from "../../src/event/ErrorEvent.js"
import { type Group, GroupId } from "../../src/group/Group.js"
import { excerptOf, levelCount } from "../../src/markdown/Excerpt.js"
import { groupMarkdown } from "../../src/markdown/GroupMarkdown.js"
import { maxLength, reportMarkdown, securityNote } from "../../src/markdown/ReportMarkdown.js"
import { NoteId } from "../../src/note/Note.js"
import { ProjectId } from "../../src/project/Project.js"
import type { Report } from "../../src/report/Report.js"
import { ReportId } from "../../src/report/Report.js"
import { eventOf } from "../report/events.js"

const address = "https://errata.example.com/errors"
const noon = DateTime.makeUnsafe("2026-01-05T12:00:00.000Z")

const { details } = eventOf({
  transaction: "GET /cart",
  transaction_source: "route",
  user: {
    user_id: "secret user",
    username: "secret name",
    email: "secret@example.com",
    ip_address: "203.0.113.7",
    geo_city: "",
    geo_region: "",
    geo_country_code: "",
    data: {},
  },
  request: {
    url: "https://shop.example.com/cart?token=secret-token#secret-fragment",
    method: "GET",
    query_string: "token=secret-token",
    data: { body: "secret body" },
    cookies: { session: "secret cookie" },
    headers: { authorization: "secret header" },
    env: {},
  },
})

const reportOf = (given: Partial<EventDetails> | null, fields: Partial<Report> = {}): Report => ({
  id: ReportId.make(7),
  groupId: GroupId.make(42),
  projectId: ProjectId.make(1),
  eventId: null,
  errorType: "TypeError",
  errorMessage: "price of undefined",
  culprit: "src/cart.js in total",
  occurredAt: noon,
  platform: "node",
  severity: "error",
  handled: false,
  serverName: "web-1",
  environment: "production",
  releaseVersion: "shop@1.4.0",
  sourcemapStatus: "unprocessed",
  sourcemapFailureCode: null,
  sourcemapAttemptedAt: null,
  tags: [{ key: "browser", value: "Firefox" }],
  createdAt: noon,
  updatedAt: noon,
  release: null,
  isPurged: false,
  unreadable: null,
  details: given === null ? null : { ...details, ...given },
  attachments: [],
  ...fields,
})

const group: Group = {
  id: GroupId.make(42),
  projectId: ProjectId.make(1),
  errorType: "TypeError",
  errorMessage: "price of undefined",
  culprit: "src/cart.js in total",
  grouping: { algorithm: "v2", key: "0".repeat(64), data: { method: "ungroupable" } },
  severity: "error",
  firstOccurredAt: noon,
  lastOccurredAt: noon,
  usersCount: 3,
  reportsCount: 17,
  notesCount: 1,
  resolution: null,
  mute: null,
  projectMute: null,
  assigneeId: null,
  issueUrl: null,
  reopenedAt: null,
  mergedIntoId: null,
  hasMembers: false,
  createdAt: noon,
  updatedAt: noon,
}

const noteOf = (content: string) => ({
  id: NoteId.make(3),
  projectId: ProjectId.make(1),
  groupId: GroupId.make(42),
  content,
  automated: false,
  user: null,
  createdAt: noon,
})

const own = (lineno: number): Frame => ({
  filename: "src/cart.js",
  function: `own${lineno}`,
  lineno,
  colno: 5,
  in_app: true,
  pre_context: ["before"],
  context_line: `line ${lineno}`,
  post_context: ["after"],
  vars: { items: [null] },
})

const foreign = (lineno: number): Frame => ({
  filename: "node:internal/x",
  function: "f",
  lineno,
  in_app: false,
})

describe("A report", () => {
  it("says that retention has removed its details", () => {
    const sentence = "Retention removed the details of this report."
    expect(reportMarkdown(reportOf(null, { isPurged: true }), null).text).toContain(sentence)
    expect(reportMarkdown(reportOf({}), null).text).not.toContain(sentence)
  })

  it("shows the application's frames from the innermost, with source and variables, and folds the others", () => {
    const { text, truncated } = reportMarkdown(
      reportOf({
        exceptions: [
          { type: "Cause", value: "the cause", frames: [] },
          {
            type: "TypeError",
            value: "price of undefined",
            mechanism: { handled: false },
            frames: [foreign(1), own(10), foreign(2), own(20), foreign(3)],
          },
        ],
        breadcrumbs: [{ category: "http", message: "GET /cart", data: { status: 200 } }],
      }),
      null,
    )
    expect(truncated).toBe(false)
    expect(text).toContain(`> ${securityNote}`)
    expect(text.indexOf("## Exception `TypeError` (not handled)")).toBeGreaterThan(0)
    expect(text.indexOf("## Cause `Cause`")).toBeGreaterThan(text.indexOf("## Exception"))
    expect(text.indexOf("`src/cart.js:20:5` in `own20`")).toBeLessThan(text.indexOf("`src/cart.js:10:5`"))
    expect(text).toContain("  19 | before\n> 20 | line 20\n  21 | after")
    expect(text).toContain("- `items` = `[null]`")
    expect(text).toContain("3 other frames: `node:internal/x:3 in f`, `node:internal/x:2 in f`")
    expect(text).toContain("http GET /cart {status:200}")
    expect(text).toContain("- `browser`: `Firefox`")
    expect(text).toContain("- Request: `GET https://shop.example.com/cart`")
  })

  it("contains no user data, headers, cookies, bodies and queries", () => {
    const shown = reportOf({ exceptions: [{ type: "E", value: "v", frames: [own(1)] }] })
    expect(reportMarkdown(shown, null).text).not.toMatch(/secret|203\.0\.113\.7/)
    expect(JSON.stringify(excerptOf(shown, 0))).not.toMatch(/secret|203\.0\.113\.7/)
  })

  it("of an application that marks no frames as its own shows the innermost of all", () => {
    const { text } = reportMarkdown(reportOf({ exceptions: [{ frames: [foreign(1), foreign(2)] }] }), null)
    expect(text).toContain("None is known to belong to the application")
    expect(text).toContain("1. `node:internal/x:2` in `f`")
  })

  it("shows consecutive equal frames once, with their count", () => {
    const { text } = reportMarkdown(
      reportOf({
        exceptions: [{ frames: [foreign(1), foreign(1), own(7), own(9), own(9), own(9), own(7)] }],
      }),
      null,
    )
    expect(text.match(/^\d\. .+/gm)).toEqual([
      "1. `src/cart.js:7:5` in `own7`",
      "2. `src/cart.js:9:5` in `own9` (3 times)",
      "3. `src/cart.js:7:5` in `own7`",
    ])
    expect(text).toContain("2 other frames: `node:internal/x:1 in f`, …")
  })

  it("without an exception shows its message and the crashed thread", () => {
    const { text } = reportMarkdown(
      reportOf({
        threads: [
          { name: "main", frames: [own(1)] },
          { name: "worker", crashed: true, frames: [own(2)] },
        ],
      }),
      null,
    )
    expect(text).toContain("```text\nprice of undefined\n```")
    expect(text).toContain("## Thread `worker`")
    expect(text).not.toContain("own1")
  })

  it("says that retention has left only the list fields", () => {
    expect(reportMarkdown(reportOf(null), null).text).toContain("- Details: no longer kept")
  })

  it("is shortened from the outermost frames, and says so", () => {
    const frames = Array.from({ length: 200 }, (_, i) => own(i + 1))
    const breadcrumbs = Array.from({ length: 100 }, (_, i) => ({ message: `crumb ${i}.` }))
    const { text, truncated } = reportMarkdown(
      reportOf({ exceptions: [{ type: "E", frames }], breadcrumbs }),
      null,
    )
    expect(truncated).toBe(true)
    expect(text).toContain("own200`")
    expect(text).not.toContain("own1`")
    expect(text).toContain("crumb 99.")
    expect(text).not.toContain("crumb 0.")
    expect(text).toContain("Some of this text is omitted.")
  })
})

describe("A group", () => {
  const linesOf = (fields: Partial<Group>, base: string | null) =>
    groupMarkdown(
      { group: { ...group, ...fields }, report: reportOf({}), notes: [], similar: [] },
      noon,
      base,
    ).text.split("\n")

  it("has links to its page and its report if the base URL is known", () => {
    const links = (lines: ReadonlyArray<string>) => lines.filter((line) => line.startsWith("- Link:"))
    expect(links(linesOf({}, address))).toEqual([
      `- Link: ${address}/projects/1/groups/42`,
      `- Link: ${address}/projects/1/groups/42/reports/7`,
    ])
    expect(links(linesOf({}, null))).toEqual([])
  })

  it("has the number of affected users, and marks an estimate", () => {
    expect(linesOf({}, null)).toContain("- Users: 3")
    expect(linesOf({ usersCount: 1_000 }, null)).toContain("- Users: 1000")
    expect(linesOf({ usersCount: 1_234 }, null)).toContain("- Users: about 1234")
  })
})

describe("Documents", () => {
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom("`", "\u202e", "x", "\n", "```\n# Do this\n", "\u{e0041}"),
          fc.nat({ max: 70_000 }),
        )
        .map(([unit, count]) => unit.repeat(count).slice(0, 70_000)),
    },
  )
  const frame = fc.record(
    {
      filename: text,
      function: text,
      lineno: fc.nat(),
      in_app: fc.boolean(),
      context_line: text,
      pre_context: fc.array(text, { maxLength: 3 }),
      vars: fc.dictionary(fc.string(), text, { maxKeys: 5 }),
    },
    { requiredKeys: [] },
  )
  const anything = fc.record({
    exceptions: fc.array(fc.record({ type: text, value: text, frames: fc.array(frame, { maxLength: 40 }) }), {
      maxLength: 10,
    }),
    breadcrumbs: fc.array(fc.record({ message: text, category: text, timestamp: text }), { maxLength: 20 }),
    extras: fc.array(fc.record({ key: text, value: text }), { maxLength: 20 }),
    tags: fc.array(fc.record({ key: text, value: text }), { maxLength: 20 }),
    errorMessage: text,
    culprit: text,
    note: text,
  })

  it("are at most 50,000 characters, with data of events only inside code", () => {
    fc.assert(
      fc.property(anything, ({ culprit, errorMessage, note, tags, ...given }) => {
        const report = reportOf(given as Partial<ErrorEvent["details"]>, { culprit, errorMessage, tags })
        const story = {
          group: { ...group, culprit, errorMessage },
          report,
          notes: Array(20).fill(noteOf(note)),
          similar: Array(9).fill(group),
        }
        for (const document of [reportMarkdown(report, address), groupMarkdown(story, noon, address)]) {
          expect(document.text.length).toBeLessThanOrEqual(maxLength)
          expect(outsideOfCode(document.text)).toMatch(ownWords)
        }
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it("get shorter with each level", () => {
    const frames = Array.from({ length: 50 }, (_, i) => own(i + 1))
    const report = reportOf({ exceptions: [{ type: "E", frames }] })
    const lengths = Array.from(
      { length: levelCount },
      (_, level) => JSON.stringify(excerptOf(report, level)).length,
    )
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a))
  })
})

/** The document without its fenced blocks and code spans, by the rules of CommonMark. */
const outsideOfCode = (document: string): string => {
  const left: Array<string> = []
  let fence: string | null = null
  for (const line of document.split("\n")) {
    if (fence !== null) {
      if (new RegExp(`^ {0,3}${fence}\`*[ \\t]*$`).test(line)) fence = null
    } else if (/^ {0,3}`{3,}[^`]*$/.test(line)) fence = /`+/.exec(line)![0]
    else left.push(line.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, "§"))
  }
  return left.join("\n")
}

/** Text of the renderer itself. */
const ownWords = /^(?:[\w #>:.,;'’=()§…/-]|\n)*$/
