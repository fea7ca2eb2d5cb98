import { describe, expect, it } from "vitest"
import { entriesFor } from "../src/parts/PaletteEntries.js"

const known = {
  projects: [
    { id: 1, name: "web" },
    { id: 2, name: "worker" },
  ],
  projectId: 2,
  adminPages: [{ slug: "health", title: "Health", rule: "health.inspect", key: "g h" }],
  sections: [
    {
      title: "Groups",
      shortcuts: [
        { key: "r", label: "Resolve or reopen", run: () => {} },
        { key: "j", label: "Next group", run: () => {} },
      ],
    },
  ],
}
/** Without the last entry, which searches groups for every text. */
const labels = (text: string, at = known) =>
  entriesFor(text, at)
    .slice(0, -1)
    .map(({ label }) => label)

describe("the palette", () => {
  it("finds pages, projects and actions by their words", () => {
    expect(labels("wor")).toEqual([
      "worker",
      "Set up worker",
      "Settings of worker",
      "Alerts of worker",
      "Webhooks of worker",
    ])
    expect(labels("up web")).toEqual(["Set up web"])
    expect(labels("resolve")).toEqual(["Resolve or reopen"])
  })

  it("finds the pages about the instance that the caller may open", () => {
    expect(entriesFor("hea", known)[0]).toEqual({
      label: "Health",
      kind: "Page",
      to: "settings/health",
      key: "g h",
    })
    expect(labels("hea", { ...known, adminPages: [] })).toEqual([])
  })

  it("opens a group by its number in the project of the page first, and else in any", () => {
    const places = (text: string, at = known) =>
      entriesFor(text, at)
        .slice(0, -1)
        .map(({ label, to }) => [label, to])
    expect(places("#42")).toEqual([
      ["Group #42 in worker", "projects/2/groups/42"],
      ["Group #42 in any project", "groups/42"],
    ])
    expect(places("042", { ...known, projectId: Number.NaN })).toEqual([
      ["Group #42 in any project", "groups/42"],
    ])
  })

  it("opens a report by its event id, in whichever project it is", () => {
    const [first, ...others] = entriesFor("9f86d081-884c-7d65-9a2f-eaa0c55ad015", known)
    expect(first?.to).toBe("reports/9f86d081884c7d659a2feaa0c55ad015")
    expect(others.map(({ kind }) => kind)).toEqual(["Query"])
  })

  it("applies a saved query in the project of the page, else in all", () => {
    const queries = [{ name: "Payments", query: "payment", sort: "last_seen" }]
    expect(entriesFor("pay query", { ...known, queries })[0]).toMatchObject({
      label: "Payments",
      kind: "Query",
      to: "projects/2/groups?query=payment&sort=last_seen",
    })
  })

  it("searches groups for the text, in the project of the page, else in all", () => {
    const searched = { label: "Groups that match Out of tea", kind: "Query" }
    expect(entriesFor(" Out of tea ", known)).toEqual([
      { ...searched, to: "projects/2/groups?query=Out+of+tea&sort=last_seen" },
    ])
    expect(entriesFor("Out of tea", { ...known, projectId: Number.NaN })).toEqual([
      { ...searched, to: "groups?query=Out+of+tea&sort=last_seen" },
    ])
    const projects = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, name: `web ${at}` }))
    const many = entriesFor("web", { ...known, projects })
    expect(many).toHaveLength(12)
    expect(many.at(-1)?.label).toBe("Groups that match web")
  })

  it("offers no movements", () => {
    expect(labels("next group")).toEqual([])
  })
})
