/** Transitions become known by one service: nobody else writes their notes, or what webhooks are told. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const packages = new URL("../packages/", import.meta.url).pathname

/** The production sources in which a pattern occurs. */
const filesWith = (pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(packages)
    // The contract suites play callers of every port.
    .filter((name) => name !== "testing")
    .flatMap((name) => readdirSync(join(packages, name, "src"), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => pattern.test(readFileSync(file, "utf8")))
    .map((file) => relative(packages, file))
    .sort()

/** A service that is asked for, and not only named in a type. */
const asked = (service: string) =>
  new RegExp(`yield\\* ${service}\\b|flatMap\\(\\s*${service},|map\\(\\s*${service},`)

describe("transitions of groups", () => {
  it("are noted by one service", () => {
    expect(filesWith(/\bAutomatedNote\.ofEvent\b/)).toEqual(["core/src/group/Outbox.ts"])
    expect(filesWith(/import \{[^}]*\bofEvent\b[^}]*\} from ".*AutomatedNote\.js"/)).toEqual([])
  })

  it("are told to webhooks by one service", () => {
    // The second one takes what was written, and the third one tells listeners of what passes: they append nothing of theirs.
    expect(filesWith(asked("GroupEventStore"))).toEqual([
      "core/src/group/Outbox.ts",
      "core/src/webhook/FanOut.ts",
      "errata/src/GroupListeners.ts",
    ])
    expect(filesWith(/INTO errata\.group_events/)).toEqual([
      "storage-postgres/src/PostgresGroupEventStore.ts",
    ])
  })

  // Of groups that turn out to be of one error, that is.
  it("are not the only notes: feedback is written where it is recorded, people's where they ask, twins where they show", () => {
    expect(filesWith(asked("NoteStore"))).toEqual([
      "core/src/group/Outbox.ts",
      "core/src/ingest/Recorder.ts",
      "core/src/mapping/ReportMapping.ts",
      "core/src/note/Notes.ts",
      "core/src/triage/Triage.ts",
    ])
    expect(filesWith(/\bAutomatedNote\.ofFeedback\b/)).toEqual(["core/src/ingest/Recorder.ts"])
  })
})
