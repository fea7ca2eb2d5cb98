import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { DiskWatch } from "../../src/ingest/DiskWatch.js"
import { defaultPolicies } from "../../src/policy/Policy.js"

const mebibyte = 1024 * 1024
const policy = { ...defaultPolicies.ingestProtection, minimumFreeDiskSpaceMb: 10 }

it.effect("logs whether the intake resumes because of free space or a disabled protection", () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => {
    lines.push(...[message].flat())
  })
  const watch = new DiskWatch()
  const update = (megabytes: number, diskProtectionEnabled: boolean) =>
    watch.update(
      {
        state: "measured",
        use: { freeBytes: megabytes * mebibyte, totalBytes: 1000 * mebibyte },
        reason: "",
      },
      { ...policy, diskProtectionEnabled },
    )
  return Effect.gen(function* () {
    yield* update(5, true)
    expect(lines.splice(0)).toEqual([
      "The database's disk is low. Free space on it, or keep errors for fewer days.",
      "The intake is paused: the database's disk has too little free space",
    ])
    yield* update(5, false)
    expect(lines.splice(0)).toEqual(["The intake resumed: disk protection is off"])
    yield* update(5, true)
    lines.length = 0
    yield* update(900, true)
    expect(lines).toEqual([
      "The database's disk has enough free space again",
      "The intake resumed: the database's disk has enough free space",
    ])
  }).pipe(Effect.provide(Logger.layer([logger])))
})
