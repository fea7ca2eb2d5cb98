import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { hintsOn, SearchQuery } from "../../src/search/index.js"

const told = (query: string) => hintsOn(query).map(({ didYouMean, token }) => [token, didYouMean])

describe("hints on searches", () => {
  it.each([
    ["enviroment:production", "environment:production"],
    ["EnviromEnt:production", "environment:production"],
    ["env:production", "environment:production"],
    ["sevrity:error", "severity:error"],
    ["level:fatal,error", "severity:fatal,error"],
    ["serverName:web-1", "server_name:web-1"],
    ["server-name:web-1", "server_name:web-1"],
    ["relaese:1.2.3", "release:1.2.3"],
    ['enviroment:"pre production"', 'environment:"pre production"'],
    ["error-type:TypeError", "error_type:TypeError"],
    ["tag.browser:Firefox", "tags.browser:Firefox"],
    ["reports_cuont:>10", "reports_count:>10"],
    ["asignee:me", "assignee:me"],
    ["snice:2026-01-02", "since:2026-01-02"],
    ["is:unresolvd", "is:unresolved"],
    ["!is:mutde", "!is:muted"],
    ["is:warn", "is:warning"],
    ["is:error,wanring", "is:error,warning"],
    ["sevrity:eror", "severity:error"],
  ])("suggest for %s: %s", (query, meant) => {
    expect(told(query)).toEqual([[query, meant]])
  })

  it.each([
    "is:foo",
    "severity:loud",
    "assignee:bob",
    "since:yesterday",
    "reports_count:many",
    "!environment:production",
    "TypeError:foo",
    "https://example.com/a?b=c",
    "tenant:acme",
    "!tenant:acme",
  ])("say that %s is no filter, without a suggestion", (query) => {
    expect(told(query)).toEqual([[query, null]])
  })

  it.each([
    "TypeError: foo",
    "Error: connect ECONNREFUSED",
    "Cannot read properties of undefined (reading 'release')",
    "relation does not exist: environment: production",
    '"is:foo" "enviroment:production"',
    "environments are fine tags.browsr:Firefox tags.enviroment:x",
    "is: unresolved",
    "",
  ])("say nothing about the text %s", (query) => {
    expect(told(query)).toEqual([])
  })

  it("say nothing about filters", () => {
    const query =
      'is:unresolved !is:error,fatal severity:error server_name:a environment:"b c" release:1 error_type:T tags.k:v assignee:none reports_count:>3 since:7d until:2026-01-02T03:04:05Z'
    expect(told(query)).toEqual([])
    expect(SearchQuery.parse(query).text).toEqual([])
  })

  it("say nothing about tags of the project", () => {
    expect(hintsOn("tenant:acme Env:eu plan:x", ["tenant", "env"])).toEqual([
      { token: "plan:x", didYouMean: null },
    ])
  })

  it("are given once per token, in order, up to ten", () => {
    expect(told("is:foo timeout enviroment:a is:foo")).toEqual([
      ["is:foo", null],
      ["enviroment:a", "environment:a"],
    ])
    expect(hintsOn(Array.from({ length: 200 }, (_, index) => `is:${index}`).join(" "))).toHaveLength(10)
  })

  it("name tokens of the query only, and suggest only valid filters", () => {
    const { array, assert, constantFrom, oneof, property, string } = FastCheck
    const token = oneof(
      string(),
      constantFrom(
        "is:",
        "!",
        "enviroment:",
        "sevrity:",
        "releas",
        "e:",
        ",",
        '"',
        "error",
        "tag.",
        " ",
        "resolvd",
      ),
    )
    assert(
      property(array(token, { maxLength: 12 }), (tokens) => {
        const query = tokens.join("")
        for (const { didYouMean, token } of hintsOn(query)) {
          expect(query).toContain(token)
          if (didYouMean !== null) expect(SearchQuery.parse(didYouMean).text).toEqual([])
        }
      }),
    )
  })
})
