import { Duration, Option, Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { formatBytes, formatDuration, parseBytes, parseDuration } from "../../src/config/Quantity.js"
import { listSettings, settingsFrom, settingTexts } from "../../src/config/SettingList.js"
import { defaultSettings, ErrataSettings } from "../../src/ErrataConfig.js"
import { defaultPolicies, validate } from "../../src/policy/Policy.js"
import { conflictsIn } from "../../src/SettingConflicts.js"

const all = listSettings(ErrataSettings)

const refusal = (path: string, text: string) => {
  try {
    settingsFrom(ErrataSettings, new Map([[path, text]]))
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe("amounts", () => {
  it.each([
    ["5 seconds", 5_000],
    ["1 second", 1_000],
    ["2minutes", 120_000],
    ["1.5 hours", 5_400_000],
    ["PT5S", 5_000],
    ["P1D", 86_400_000],
    ["250", 250],
    ["250 millis", 250],
    ["250 milliseconds", 250],
    ["2 weeks", 1_209_600_000],
  ])("the duration %s", (text, millis) => {
    expect(Option.map(parseDuration(text), Duration.toMillis)).toEqual(Option.some(millis))
  })

  it.each([
    "",
    "-5 seconds",
    "five seconds",
    "5 parsecs",
    "5 constructor",
    "Infinity",
    "1e9",
    "P",
    "5 Seconds",
  ])("no duration: %s", (text) => expect(parseDuration(text)).toEqual(Option.none()))

  it.each([
    ["16 MiB", 16 * 1024 ** 2],
    ["64KiB", 64 * 1024],
    ["1.5 MiB", 1.5 * 1024 ** 2],
    ["200 B", 200],
    ["200", 200],
    ["1 TiB", 1024 ** 4],
  ])("the size %s", (text, bytes) => expect(parseBytes(text)).toEqual(Option.some(bytes)))

  it.each(["", "-1", "16 MB", "0.3 B", "1 mib", "99999999999999 TiB", "0x10"])("no size: %s", (text) =>
    expect(parseBytes(text)).toEqual(Option.none()),
  )

  it("are written in the largest unit that leaves a whole number", () => {
    expect(
      [0, 1, 1500, 1000, 7_200_000, 86_400_000 * 90].map((ms) => formatDuration(Duration.millis(ms))),
    ).toEqual(["0 millis", "1 milli", "1500 millis", "1 second", "2 hours", "90 days"])
    expect([0, 200, 2048, 1536, 16 * 1024 ** 2].map(formatBytes)).toEqual([
      "0 B",
      "200 B",
      "2 KiB",
      "1536 B",
      "16 MiB",
    ])
  })
})

describe("the settings", () => {
  it("have one name and one variable each, and a sentence on what they are for", () => {
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length)
    expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length)
    expect(all.map(({ path, variable }) => [path, variable])).toContainEqual([
      "recorder.batchBytes",
      "ERRATA_RECORDER_BATCH_BYTES",
    ])
    for (const { description, path } of all) expect(description, path).toMatch(/^[`A-Z].*\.$/)
  })

  it("write their defaults as in the documentation, and read them back", () => {
    const texts = settingTexts(ErrataSettings, defaultSettings)
    for (const { defaultText, path } of all) expect(texts.get(path), path).toBe(defaultText)
    expect(settingsFrom(ErrataSettings, texts)).toEqual(defaultSettings)
    const encoded = Schema.encodeSync(ErrataSettings)(defaultSettings)
    expect(Schema.decodeSync(ErrataSettings)(structuredClone(encoded))).toEqual(defaultSettings)
    expect(conflictsIn(defaultSettings)).toEqual([])
    expect(defaultSettings.policies).toEqual(defaultPolicies)
  })

  it("accept values up to their bounds, and reject values beyond them by name", () => {
    const interval = "backgroundInterval"
    const { backgroundInterval } = settingsFrom(ErrataSettings, new Map([[interval, " 1 second "]]))
    expect(Duration.toMillis(backgroundInterval)).toBe(1000)
    expect(refusal(interval, "999")).toContain("must be a duration from 1 second to 1 hour")
    expect(refusal(interval, "999")).toContain("backgroundInterval")
    expect(refusal(interval, "1 hour")).toBeNull()
    expect(refusal(interval, "3600001")).not.toBeNull()
    for (const { kind, path } of all) {
      if (kind === "flag" || kind === "word") expect(refusal(path, "-"), path).not.toBeNull()
      else for (const text of ["-1", "", "x", "1e30", "NaN"]) expect(refusal(path, text), path).not.toBeNull()
    }
    for (const path of [
      "recorder.workers",
      "sourcemaps.concurrency",
      "ingestLimits.maxEventBytes",
      "backgroundInterval",
    ]) {
      expect(refusal(path, "0"), path).not.toBeNull()
    }
  })

  it("of policies have the same bounds as the policies", () => {
    const path = "policies.ingestProtection.globalRateLimitPerMinute"
    for (const rate of [0, 1, 10_000_000, 10_000_001]) {
      const ingestProtection = { ...defaultPolicies.ingestProtection, globalRateLimitPerMinute: rate }
      expect(refusal(path, String(rate)) === null, String(rate)).toBe(
        Result.isSuccess(validate("ingestProtection", ingestProtection)),
      )
    }
  })

  it("report conflicting values", () => {
    const conflicts = (texts: Readonly<Record<string, string>>) =>
      conflictsIn(settingsFrom(ErrataSettings, new Map(Object.entries(texts)))).map(({ other, path }) => [
        path,
        other,
      ])
    expect(conflicts({ "ingestLimits.maxBodyBytes": "64 MiB" })).toEqual([
      ["intake.maxWaitingBytes", "ingestLimits.maxBodyBytes"],
    ])
    expect(conflicts({ "ingestLimits.maxBodyBytes": "64 KiB" })).toEqual([
      ["ingestLimits.maxBodyBytes", "ingestLimits.maxEventBytes"],
      ["ingestLimits.maxBodyBytes", "ingestLimits.maxAttachmentBytes"],
    ])
    expect(conflicts({ "policies.errorRetention.diskLimitValue": "96" })).toEqual([
      ["policies.errorRetention.diskLimitValue", "policies.errorRetention.diskLimitType"],
    ])
    expect(
      conflicts({
        "policies.errorRetention.diskLimitType": "absolute",
        "policies.errorRetention.diskLimitValue": "96",
      }),
    ).toEqual([])
  })
})
