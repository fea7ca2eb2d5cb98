import type { IngestProtection } from "@errata/api/promise"
import { describe, expect, it } from "vitest"
import {
  adviceOn,
  byImportance,
  hasFailed,
  isWorker,
  jobName,
  nameOf,
  queueNote,
  rejectionNote,
  summaryOf,
} from "../../../src/pages/admin/healthText.js"
import { found, isLastAdmin } from "../../../src/pages/admin/persons.js"
import { outcomeOf, subjectOf } from "../../../src/pages/admin/runText.js"

const run = {
  id: 5,
  kind: "errors",
  trigger: "nightly",
  state: "succeeded",
  requested_by: null,
  created_at: "2026-01-05T02:00:01.000Z",
  started_at: "2026-01-05T02:00:01.000Z",
  finished_at: "2026-01-05T02:00:09.000Z",
  time_purge_type: "full",
  purged_before: "2025-10-07T02:00:01.000Z",
  reports_purged: 12_500,
  groups_purged: 1,
  artifact_bundles_purged: 0,
  partitions_purged: 3,
  partitions_postponed: 0,
  bytes_returned: 48_234_496,
  bytes_before: 912_261_120,
  bytes_after: 864_026_624,
  within_disk_limit: null,
  failure: null,
} as const

describe("a run of retention", () => {
  it("says what it deleted", () => {
    expect(subjectOf(run)).toBe("Reports, nightly")
    expect(outcomeOf(run)).toBe("Deleted 12,500 reports, 1 group. 48 MB are free again.")
  })

  it("shows why it failed and that a later run continues", () => {
    const failed = { ...run, state: "failed", failure: "StorageError", partitions_postponed: 1 } as const
    expect(outcomeOf(failed)).toContain("The run failed: StorageError.")
    expect(outcomeOf(failed)).toContain("A later run deletes it.")
  })

  it("says that nothing was deleted, or not yet", () => {
    const idle = { ...run, reports_purged: 0, groups_purged: 0, bytes_returned: 0 }
    expect(outcomeOf(idle)).toBe("Nothing was deleted.")
    expect(outcomeOf({ ...idle, state: "running" })).toBe("Nothing is deleted so far.")
    expect(outcomeOf({ ...idle, state: "waiting" })).toBe("It starts within seconds.")
  })
})

describe("people", () => {
  const ada = { name: "Ada", email_address: "ada@example.com", role: "admin" }
  const ben = { name: "Ben", email_address: "ben@example.org", role: "member" }
  const people = [ada, ben] as never

  it("are found by name and address", () => {
    expect(found(people, " ada ")).toEqual([ada])
    expect(found(people, "example.ORG")).toEqual([ben])
    expect(found(people, "")).toEqual(people)
  })

  it("keep their last admin", () => {
    expect(isLastAdmin({ role: "admin" }, people)).toBe(true)
    expect(isLastAdmin({ role: "member" }, people)).toBe(false)
    expect(isLastAdmin({ role: "admin" }, [ada, ada, ben] as never)).toBe(false)
  })
})

describe("health", () => {
  it("is summarized in one or two sentences", () => {
    const [ok, failing] = [{ ok: true }, { ok: false }]
    expect(summaryOf([ok, ok], [])).toBe("All checks pass.")
    expect(summaryOf([ok, failing], [1])).toBe("1 check fails. 1 warning.")
    expect(summaryOf([failing, failing], [1, 2])).toBe("2 checks fail. 2 warnings.")
  })

  it("shows unknown checks and codes as they are", () => {
    expect([nameOf("workers"), nameOf("moon")]).toEqual(["Recording workers", "moon"])
    expect(adviceOn("moon_stale")).toBe("moon_stale")
  })

  it("says why ingest protection rejected requests", () => {
    const none = { recent_rejections_by_rate: 0, recent_rejections_by_queue: 0, recent_rejections_by_disk: 0 }
    const noteOn = (counts: Partial<typeof none>) =>
      rejectionNote({ ...none, ...counts } as unknown as IngestProtection)
    expect(noteOn({ recent_rejections_by_rate: 1_200, recent_rejections_by_disk: 3 })).toBe(
      "rate limit 1,200 · full disk 3",
    )
    expect(noteOn({ recent_rejections_by_queue: 7 })).toBe("full queue 7")
    expect(noteOn({})).toBe("requests, by ingest protection")
  })

  it("shows the size of the queue and the age of the oldest payload", () => {
    const queue = { payloads: 12, bytes: 48_000, oldest_waiting_seconds: 95, recorded_per_minute: 0 }
    expect(queueNote(queue, 96_000)).toBe("48 kB, 50 % of 96 kB · oldest waits 1 min")
    expect(queueNote({ ...queue, oldest_waiting_seconds: null }, undefined)).toBe("48 kB")
    expect(queueNote(null, 1)).toBe("The database does not respond.")
  })

  it("shows a job as failing until it succeeds again", () => {
    const job = { name: "record", node: "a", heartbeat_at: "", failure: "storage_unavailable" }
    const [early, late] = ["2026-01-05T08:00:00.000Z", "2026-01-05T08:00:01.000Z"]
    expect(hasFailed({ ...job, succeeded_at: early, failed_at: late })).toBe(true)
    expect(hasFailed({ ...job, succeeded_at: null, failed_at: late })).toBe(true)
    expect(hasFailed({ ...job, succeeded_at: late, failed_at: early })).toBe(false)
    expect(hasFailed({ ...job, succeeded_at: late, failed_at: null })).toBe(false)
  })

  it("has names for the workers, and the server's names for other jobs", () => {
    expect([jobName("record"), jobName("expire-uploads")]).toEqual(["Record events", "Expire uploads"])
    const jobs = ["expire-uploads", "dispatch", "record"].map((name) => ({ name }))
    expect(jobs.sort(byImportance).map(({ name }) => name)).toEqual(["record", "dispatch", "expire-uploads"])
    expect([isWorker({ name: "record" }), isWorker({ name: "expire-uploads" })]).toEqual([true, false])
  })
})
