import type { HealthCode } from "@errata/core"
import { healthChecks } from "@errata/core/internal"
import type { JobState } from "@errata/core/ports"
import { DateTime, Duration } from "effect"
import { describe, expect, it } from "vitest"
import { findingsOf, type HealthFacts, mailOf, warningsOf } from "../../src/health/HealthCheck.js"

const now = DateTime.makeUnsafe("2026-11-22T12:00:00Z")
const ago = (duration: Duration.Input) => DateTime.subtractDuration(now, duration)

const job = (
  name: string,
  succeededAt: DateTime.Utc | null,
  failedAt: DateTime.Utc | null = null,
): JobState => ({
  name,
  node: "node",
  leasedUntil: null,
  dueAt: now,
  heartbeatAt: now,
  startedAt: ago("1 day"),
  succeededAt,
  failedAt,
  failure: failedAt === null ? null : "storage_rejected",
})

const fresh = [job("record", ago("5 seconds")), job("dispatch", ago("5 seconds"))]

const well = {
  isDatabaseReached: true,
  hasPendingMigrations: false,
  isWritable: true,
  work: { now, jobs: fresh, errorReadySince: null, notificationReadySince: null },
  areSecretsReadable: true,
  intakePausedBy: "nothing",
  disk: { _tag: "Measured", freeBytes: 10, floorBytes: 10, isLow: false },
  notifies: true,
  patience: Duration.minutes(1),
} satisfies HealthFacts

const codes = (changes: Partial<HealthFacts>): ReadonlyArray<HealthCode | null> =>
  findingsOf({ ...well, ...changes }).flatMap(({ code }) => (code === null ? [] : [code]))

const work = (changes: Partial<NonNullable<HealthFacts["work"]>>) => ({ work: { ...well.work, ...changes } })

describe("HealthCheck", () => {
  it("warns of a low disk, failed deliveries and failed mail, which leave the instance ready", () => {
    const mail = mailOf(true, well.work)
    const disk = { _tag: "Measured", freeBytes: 11, floorBytes: 10, isLow: true } as const
    expect(codes({ disk })).toEqual([])
    expect(warningsOf({ disk }, { failedDeliveries: 0 }, mail)).toEqual(["disk_low"])
    const full = { ...disk, freeBytes: 9 }
    expect(codes({ disk: full })).toEqual(["disk_below_floor"])
    expect(warningsOf({ disk: full }, { failedDeliveries: 0 }, mail)).toEqual([])
    expect(warningsOf({ disk: null }, { failedDeliveries: 1 }, mail)).toEqual(["deliveries_failed"])
    expect(warningsOf({ disk: well.disk }, null, mail)).toEqual([])
    const sent = (succeeded: DateTime.Utc | null, failed: DateTime.Utc) => ({
      ...well.work,
      jobs: [job("account_mail", succeeded, failed)],
    })
    const failing = mailOf(true, sent(ago("2 minutes"), ago("1 minute")))
    expect(failing).toEqual({ isSetUp: true, failedAt: ago("1 minute"), isFailing: true })
    expect(warningsOf({ disk: null }, null, failing)).toEqual(["mail_failed"])
    expect(mailOf(true, sent(null, ago("1 minute"))).isFailing).toBe(true)
    expect(mailOf(true, sent(ago("1 second"), ago("1 minute"))).isFailing).toBe(false)
    expect(warningsOf({ disk: null }, null, { ...failing, isSetUp: false })).toEqual([])
  })

  it("passes every check of a healthy instance", () => {
    expect(findingsOf(well)).toEqual(healthChecks.map(({ name }) => ({ name, ok: true, code: null })))
  })

  it.each<[HealthCode, string, Partial<HealthFacts>]>([
    ["migrations_pending", "the schema lacks something", { hasPendingMigrations: true }],
    ["encryption_key_invalid", "a secret cannot be decrypted", { areSecretsReadable: false }],
    ["storage_unwritable", "nothing can be written", { isWritable: false }],
    ["disk_unmeasurable", "a disk does not answer", { disk: { _tag: "Unmeasurable" } }],
    [
      "disk_below_floor",
      "a byte is missing",
      { disk: { _tag: "Measured", freeBytes: 9, floorBytes: 10, isLow: false } },
    ],
    ["intake_paused_disk", "the intake is paused for the disk", { intakePausedBy: "disk" }],
    ["intake_paused_queue", "the intake is paused for the queue", { intakePausedBy: "queue" }],
    ["dispatcher_stale", "no dispatcher runs", work({ jobs: [fresh[0]!] })],
    [
      "dispatcher_stale",
      "the dispatcher is stale",
      work({ jobs: [fresh[0]!, job("dispatch", ago("61 seconds"))] }),
    ],
    ["worker_stale", "no worker runs", work({ jobs: [fresh[1]!] })],
    ["worker_stale", "the workers are stale", work({ jobs: [fresh[1]!, job("record", ago("61 seconds"))] })],
    [
      "worker_stale",
      "a worker that started a minute ago has recorded nothing",
      work({ jobs: [fresh[1]!, { ...job("record", null), startedAt: ago("61 seconds") }] }),
    ],
    [
      "worker_stale",
      "a worker has failed since its start",
      work({ jobs: [fresh[1]!, { ...job("record", null, now), startedAt: ago("1 second") }] }),
    ],
    ["worker_stale", "recording only fails", work({ jobs: [fresh[1]!, job("record", null, now)] })],
    ["jobs_stalled", "an error waits", work({ errorReadySince: ago("301 seconds") })],
    ["jobs_stalled", "a notification waits", work({ notificationReadySince: ago("301 seconds") })],
  ])("reports only %s where %s", (code, _, changes) => {
    expect(codes(changes)).toEqual([code])
  })

  it("has a check for each code, in an order of its own", () => {
    expect(healthChecks.map(({ code }) => code)).toEqual([
      "database_unreachable",
      "migrations_pending",
      "encryption_key_invalid",
      "storage_unwritable",
      "disk_unmeasurable",
      "disk_below_floor",
      "intake_paused_disk",
      "intake_paused_queue",
      "dispatcher_stale",
      "worker_stale",
      "jobs_stalled",
    ])
    expect(new Set(healthChecks.map(({ name }) => name)).size).toBe(healthChecks.length)
  })

  it("tolerates normal conditions of a healthy instance", () => {
    const bearable: ReadonlyArray<Partial<HealthFacts>> = [
      { disk: { _tag: "Unwatched" } },
      work({ errorReadySince: ago("300 seconds"), notificationReadySince: ago("300 seconds") }),
      work({ jobs: [job("record", ago("60 seconds"), now), fresh[1]!] }),
      // A worker that has just started.
      work({ jobs: [{ ...job("record", null), startedAt: ago("60 seconds") }, fresh[1]!] }),
      work({ jobs: [{ ...job("record", null, ago("2 minutes")), startedAt: ago("1 minute") }, fresh[1]!] }),
      // Without a dispatcher nothing is awaited of one.
      { notifies: false, ...work({ jobs: [fresh[0]!], notificationReadySince: ago("1 day") }) },
    ]
    expect(bearable.map(codes)).toEqual(bearable.map(() => []))
  })

  const unknown = { isWritable: null, work: null, areSecretsReadable: null }

  it("fails checks whose facts are unknown", () => {
    expect(codes({ intakePausedBy: null, disk: null })).toEqual(Array(4).fill("database_unreachable"))
  })

  it("reports why a check cannot be evaluated", () => {
    const away = findingsOf({ ...well, ...unknown, isDatabaseReached: false, hasPendingMigrations: null })
    const failed = ["database", "migrations", "encryption_key", "storage", "dispatcher", "workers", "jobs"]
    expect(away.filter(({ ok }) => !ok)).toEqual(
      failed.map((name) => ({ name, ok: false, code: "database_unreachable" })),
    )
    const old = findingsOf({ ...well, ...unknown, hasPendingMigrations: true })
    expect(old.filter(({ ok }) => !ok)).toEqual(
      failed.slice(1).map((name) => ({ name, ok: false, code: "migrations_pending" })),
    )
  })
})
