import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Severity, severities } from "../../src/event/Severity.js"
import {
  type Comparison,
  format,
  parse,
  type SearchQuery,
  type Status,
  tagKeysAsked,
} from "../../src/search/SearchQuery.js"
import { words } from "../../src/search/TextIndex.js"
import { expectLinear } from "../support/linear.js"

const none: SearchQuery = { tags: [], text: [] }
const word = (...words: ReadonlyArray<string>) => ({ words, phrase: false })
const phrase = (...words: ReadonlyArray<string>) => ({ words, phrase: true })

const filters: ReadonlyArray<readonly [string, Partial<SearchQuery>]> = [
  ["", {}],
  ["   ", {}],
  ["is:unresolved", { status: "unresolved" }],
  ["is:resolved", { status: "resolved" }],
  ["is:muted", { status: "muted" }],
  ["is:unmuted", { status: "unmuted" }],
  ["is:reopened is:muted", { status: "muted", reopened: true }],
  ["!IS:Reopened", { reopened: false }],
  ["!is:resolved", { status: "unresolved" }],
  ["!is:unresolved", { status: "resolved" }],
  ["!is:muted", { status: "unmuted" }],
  ["!is:unmuted", { status: "muted" }],
  ["is:Resolved", { status: "resolved" }],
  ['is:"resolved"', { status: "resolved" }],
  ["is:resolved is:muted", { status: "muted" }],
  ["is:muted !is:resolved", { status: "unresolved" }],
  ["is:error", { severity: { levels: ["error"], negated: false } }],
  ["!is:error", { severity: { levels: ["error"], negated: true } }],
  ["is:error,warning", { severity: { levels: ["warning", "error"], negated: false } }],
  ["is:error, warning", { severity: { levels: ["warning", "error"], negated: false } }],
  ["is:error, warning, fatal", { severity: { levels: ["warning", "error", "fatal"], negated: false } }],
  ["!is:error,warning", { severity: { levels: ["warning", "error"], negated: true } }],
  ["!is:error, warning", { severity: { levels: ["warning", "error"], negated: true } }],
  ["is:error,error", { severity: { levels: ["error"], negated: false } }],
  ["is:error !is:fatal", { severity: { levels: ["fatal"], negated: true } }],
  ["severity:info,debug", { severity: { levels: ["debug", "info"], negated: false } }],
  ["!severity:info", { severity: { levels: ["info"], negated: true } }],
  ["is:error is:muted", { severity: { levels: ["error"], negated: false }, status: "muted" }],
  ["is:error, timeout", { severity: { levels: ["error"], negated: false }, text: [word("timeout")] }],
  ["IS:Unresolved", { status: "unresolved" }],
  ["!Is:Resolved", { status: "unresolved" }],
  ["Is:ERROR, Warning", { severity: { levels: ["warning", "error"], negated: false } }],
  ["ENVIRONMENT:Production", { environment: "Production" }],
  ["Tags.Region:EU", { tags: [{ key: "Region", value: "EU" }] }],
  ['TAGS."a Key":x', { tags: [{ key: "a Key", value: "x" }] }],
  ["Assignee:ME Reports_Count:>1", { assignee: "me", reportsCount: { op: ">", value: 1 } }],
  ["server_name:web-1", { serverName: "web-1" }],
  ["tags.server_name:web-1", { serverName: "web-1" }],
  ["tags.server_name:a server_name:b", { serverName: "b" }],
  ["server_name:a tags.server_name:b", { serverName: "b" }],
  ['server_name:"John\'s iPhone"', { serverName: "John's iPhone" }],
  ["environment:production", { environment: "production" }],
  ["tags.environment:production", { environment: "production" }],
  ["environment:a environment:b", { environment: "b" }],
  ["release:web@1.2.3", { release: "web@1.2.3" }],
  ["tags.release:1.2.3", { release: "1.2.3" }],
  ["error_type:TypeError", { errorType: "TypeError" }],
  ["error_type:Acme::Billing::Error", { errorType: "Acme::Billing::Error" }],
  ["tags.region:eu", { tags: [{ key: "region", value: "eu" }] }],
  ['tags.browser:"Chrome 120"', { tags: [{ key: "browser", value: "Chrome 120" }] }],
  ["tags.url:https://a.example/b", { tags: [{ key: "url", value: "https://a.example/b" }] }],
  ['tags."a key":x', { tags: [{ key: "a key", value: "x" }] }],
  ['tags."a:b":x', { tags: [{ key: "a:b", value: "x" }] }],
  ['tags.path:"C:\\Temp\\x"', { tags: [{ key: "path", value: "C:\\Temp\\x" }] }],
  ['tags.said:"a \\"b\\""', { tags: [{ key: "said", value: 'a "b"' }] }],
  ["tags.__proto__:x", { tags: [{ key: "__proto__", value: "x" }] }],
  [
    "tags.a:1 tags.b:2 tags.a:3",
    {
      tags: [
        { key: "b", value: "2" },
        { key: "a", value: "3" },
      ],
    },
  ],
  ["assignee:me", { assignee: "me" }],
  ["assignee:none", { assignee: "none" }],
  ["assignee:42", { assignee: 42 }],
  ["assignee:me assignee:none", { assignee: "none" }],
  ["reports_count:10", { reportsCount: { op: "=", value: 10 } }],
  ["reports_count:>10", { reportsCount: { op: ">", value: 10 } }],
  ["reports_count:>=10", { reportsCount: { op: ">=", value: 10 } }],
  ["reports_count:<10", { reportsCount: { op: "<", value: 10 } }],
  ["users_count:>10", { usersCount: { op: ">", value: 10 } }],
  [
    "Users_Count:3 reports_count:<9",
    { usersCount: { op: "=", value: 3 }, reportsCount: { op: "<", value: 9 } },
  ],
  ["user.id:42", { tags: [{ key: "user.id", value: "42" }] }],
  ["User.Email:Ann@example.com", { tags: [{ key: "user.email", value: "Ann@example.com" }] }],
  ["tags.user.ip:10.0.0.1", { tags: [{ key: "user.ip", value: "10.0.0.1" }] }],
  ["reports_count:<=10", { reportsCount: { op: "<=", value: 10 } }],
  ["since:2025-01-31", { since: Date.UTC(2025, 0, 31) }],
  ["until:2025-01-31", { until: Date.UTC(2025, 0, 31, 23, 59, 59, 999) }],
  ["since:2025-01-31T10:30:00Z", { since: Date.UTC(2025, 0, 31, 10, 30) }],
  ["since:24h until:30m", { since: { span: 24 * 60 * 60_000 }, until: { span: 30 * 60_000 } }],
  ["until:2025-01-31T10:30:00+02:00", { until: Date.UTC(2025, 0, 31, 8, 30) }],
]

const texts: ReadonlyArray<readonly [string, SearchQuery["text"]]> = [
  ["timeout", [word("timeout")]],
  ["Connection  reset", [word("connection"), word("reset")]],
  ['"Connection  reset"', [phrase("connection", "reset")]],
  ['"timeout"', [phrase("timeout")]],
  ["java.lang.NullPointerException", [word("java", "lang", "nullpointerexception")]],
  ["/users/123", [word("users", "123")]],
  ["TypeError: x", [word("typeerror"), word("x")]],
  ["https://a.example/b", [word("https", "a", "example", "b")]],
  ["color:red", [word("color", "red")]],
  ['color:"dark red"', [word("color", "dark", "red")]],
  ["is:", [word("is")]],
  ["is:bogus", [word("is", "bogus")]],
  ["is:error,bogus", [word("is", "error", "bogus")]],
  ["is:,", [word("is")]],
  ["is:error,resolved", [word("is", "error", "resolved")]],
  ["severity:resolved", [word("severity", "resolved")]],
  ["environment:", [word("environment")]],
  ['environment:""', [word("environment")]],
  ["!environment:prod", [word("environment", "prod")]],
  ["tags.:x", [word("tags", "x")]],
  ["tags:x", [word("tags", "x")]],
  ["assignee:bob", [word("assignee", "bob")]],
  ["assignee:0", [word("assignee", "0")]],
  ["reports_count:>", [word("reports", "count")]],
  ["reports_count:-1", [word("reports", "count", "1")]],
  ["since:yesterday", [word("since", "yesterday")]],
  ["since:2025-02-30", [word("since", "2025", "02", "30")]],
  ['"', [word('"')]],
  ['" "', []],
  ["!", [word("!")]],
  [":", [word(":")]],
  ["%%%", [word("%%%")]],
  ['"%%%"', [word("%%%")]],
  ["()|&! a", [word("()|&!"), word("a")]],
  ['"-> =>"', [word("->"), word("=>")]],
  ['"a -> b"', [phrase("a", "b")]],
  ["🦆", [word("🦆")]],
  ["%:%%", [word("%:%%")]],
  ["\0 \ud800", [word("\ufffd"), word("\ufffd")]],
  ['"open', [word("open")]],
  ['a"b c', [word("a", "b"), word("c")]],
  ['"one""two"', [phrase("one"), phrase("two")]],
  ['"one"two', [phrase("one"), word("two")]],
  ['"is:error"', [phrase("is", "error")]],
  ["constructor:x", [word("constructor", "x")]],
  ["is:constructor", [word("is", "constructor")]],
  ["数据库", [word("数", "据", "库")]],
]

describe("parse", () => {
  it.each(filters)("reads the filter %j", (input, expected) => {
    expect(parse(input)).toEqual({ ...none, ...expected })
  })

  it.each(texts)("reads the text %j", (input, text) => {
    expect(parse(input)).toEqual({ ...none, text })
  })

  it("reads keys of tags of the project as filters, unless a filter has the key", () => {
    const known = ["Plan", "is", "plan", "tenant", "Zone"]
    const tagsOf = (query: string) => parse(query, known).tags.map(({ key, value }) => `${key}=${value}`)
    expect(tagsOf('tenant:acme Tenant:"acme eu" plan:a Plan:b zone:c tags.ZONE:d')).toEqual([
      "tenant=acme eu",
      "plan=a",
      "Plan=b",
      "Zone=d",
    ])
    expect(parse("is:muted !tenant:acme color:red tenant:", known)).toEqual({
      status: "muted",
      tags: [],
      text: [word("tenant", "acme"), word("color", "red"), word("tenant")],
    })
    expect(parse("tags.Environment:x", ["environment"]).environment).toBe("x")
    expect(tagKeysAsked("tenant:acme !plan:b is:muted is:x tags.zone:c tenant:d TypeError: foo")).toEqual([
      "zone",
      "tenant",
    ])
  })

  it("mixes filters, phrases and words in any order", () => {
    expect(
      parse('reset is:unresolved "by peer" tags.region:eu !is:info, debug environment:"my env"'),
    ).toEqual({
      status: "unresolved",
      severity: { levels: ["debug", "info"], negated: true },
      environment: "my env",
      tags: [{ key: "region", value: "eu" }],
      text: [word("reset"), phrase("by", "peer")],
    })
  })

  it("reads any text, and reads its canonical form as the same query", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        '"',
        ":",
        "!",
        "is:",
        "error,",
        "tags.",
        '"a b"',
        "\\",
        "since:",
        "2025-01-01",
        " ",
        "!is:muted",
      ),
      fc.constantFrom(...filters.map(([input]) => input), ...texts.map(([input]) => input)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom("", " "), (pieces, separator) => {
        const query = parse(pieces.join(separator))
        expect(parse(format(query))).toEqual(query)
      }),
      { numRuns: 2000 },
    )
  })

  it("takes a hostile query in linear time", () => {
    expectLinear(1000, (size) => {
      for (const unit of ['"\\', '"a ', "!", "is:error, ", 'tags."']) {
        const input = unit.repeat(size / unit.length)
        for (let i = 0; i < 20; i++) parse(input)
      }
    })
  })
})

describe("format", () => {
  const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  const tagKey = value.filter((key) => !["server_name", "environment", "release"].includes(key))
  const instant = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) })
  const span = fc.integer({ min: 0, max: 999_999 }).map((minutes) => ({ span: minutes * 60_000 }))
  const someWords = fc
    .array(fc.string({ unit: "grapheme", maxLength: 70 }), { maxLength: 4 })
    .map((parts) => words(parts.join(" ")))
  const levels = fc
    .subarray([...severities], { minLength: 1 })
    .map((chosen): ReadonlyArray<Severity> => severities.filter((level) => chosen.includes(level)))

  const query = fc.record(
    {
      status: fc.constantFrom<Status>("resolved", "unresolved", "muted", "unmuted"),
      reopened: fc.boolean(),
      severity: fc.record({ levels, negated: fc.boolean() }),
      serverName: value,
      environment: value,
      release: value,
      errorType: value,
      tags: fc.uniqueArray(fc.record({ key: tagKey, value }), { selector: ({ key }) => key, maxLength: 4 }),
      assignee: fc.oneof(fc.constantFrom("me" as const, "none" as const), fc.integer({ min: 1 })),
      reportsCount: fc.record({
        op: fc.constantFrom<Comparison>("=", ">", ">=", "<", "<="),
        value: fc.nat(),
      }),
      since: fc.oneof(instant, span),
      until: fc.oneof(instant, span),
      text: fc.array(
        fc.record({ words: someWords.filter((found) => found.length > 0), phrase: fc.boolean() }),
        { maxLength: 4 },
      ),
    },
    { requiredKeys: ["tags", "text"] },
  )

  it("writes text that is read as the same query", () => {
    fc.assert(
      fc.property(query, (query) => {
        expect(parse(format(query))).toEqual(query)
      }),
      { numRuns: 1000 },
    )
  })

  it("writes one canonical form", () => {
    expect(
      format(
        parse('timeout  severity:fatal,error "by  Peer" !is:resolved tags.os:"Mac OS" since:2025-01-31'),
      ),
    ).toBe('is:unresolved is:error,fatal tags.os:"Mac OS" since:2025-01-31T00:00:00.000Z timeout "by peer"')
  })
})
