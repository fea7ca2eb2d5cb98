import { describe, expect, it } from "vitest"
import type { Row } from "../src/data/groups.js"
import { groupsCsv } from "../src/pages/groups/GroupsCsv.js"
import { csvOf } from "../src/text/Csv.js"

describe("CSV", () => {
  it("quotes commas, quotes and line breaks, and ends lines with CR LF", () => {
    expect(
      csvOf([
        ["a", 1],
        ["b,c", 'say "no"'],
        ["two\nlines", ""],
      ]),
    ).toBe('a,1\r\n"b,c","say ""no"""\r\n"two\nlines",\r\n')
  })

  it("prefixes cells that a spreadsheet would run", () => {
    expect(csvOf([["=1+1", "+1", "-1", "@A1", "\tx", "a=b"]])).toBe("'=1+1,'+1,'-1,'@A1,'\tx,a=b\r\n")
    expect(csvOf([["\r=1", '=HYPERLINK("x","y")']])).toBe(`"'\r=1","'=HYPERLINK(""x"",""y"")"\r\n`)
  })
})

const group = {
  id: 42,
  project_id: 1,
  error_type: "=TypeError",
  error_message: "x, y",
  severity: "error",
  resolved: false,
  muted: true,
  first_occurred_at: "2026-11-23T10:00:00.000Z",
  last_occurred_at: "2026-11-24T10:00:00.000Z",
  reports_count: 1_204,
  users_count: 3,
  last_environment: "production",
  last_release_version: "shop@1.4.0",
} as Row

describe("a list of groups as CSV", () => {
  it("has a row for each group", () => {
    const csv = groupsCsv(
      [group, { ...group, id: 43, error_type: "", resolved: true }],
      () => "web",
      ({ id }) => `https://x/${id}`,
    )
    expect(csv.split("\r\n")).toEqual([
      "id,title,project,state,severity,first seen,last seen,reports,users,environment,release,URL",
      `42,"'=TypeError: x, y",web,muted,error,2026-11-23T10:00:00.000Z,2026-11-24T10:00:00.000Z,1204,3,production,shop@1.4.0,https://x/42`,
      `43,"x, y",web,resolved,error,2026-11-23T10:00:00.000Z,2026-11-24T10:00:00.000Z,1204,3,production,shop@1.4.0,https://x/43`,
      "",
    ])
  })
})
