import { describe, expect, it } from "vitest"
import { perMinute, type Reading, withReading } from "../../src/health/RecordedRate.js"

const read = (...readings: ReadonlyArray<readonly [seconds: number, reports: number]>) =>
  readings.reduce<ReadonlyArray<Reading>>(
    (known, [seconds, reports]) => withReading(known, { at: seconds * 1000, reports }),
    [],
  )

describe("RecordedRate", () => {
  it("needs two readings", () => {
    expect(perMinute(read())).toBeNull()
    expect(perMinute(read([0, 100]))).toBeNull()
    expect(perMinute(read([0, 100], [0, 200]))).toBeNull()
  })

  it("is the growth per minute", () => {
    expect(perMinute(read([0, 100], [5, 150]))).toBe(600)
    expect(perMinute(read([0, 100], [5, 100]))).toBe(0)
  })

  it("compares with the last reading that is a minute old", () => {
    const readings = read([0, 0], [30, 1000], [60, 1000], [90, 1000], [95, 1010])
    expect(readings.map(({ at }) => at / 1000)).toEqual([30, 60, 90, 95])
    expect(perMinute(readings)).toBe(9)
  })

  it("keeps few readings, however often they are taken", () => {
    const seconds = Array.from({ length: 500 }, (_, second) => [second, second * 10] as const)
    const readings = read(...seconds)
    expect(readings).toHaveLength(61)
    expect(perMinute(readings)).toBe(600)
  })

  it("is unknown after a long time without readings", () => {
    expect(perMinute(read([0, 0], [120, 240]))).toBe(120)
    expect(perMinute(read([0, 0], [3600, 60]))).toBeNull()
  })

  it("is not negative after a deletion or after the clock is set back", () => {
    expect(perMinute(read([0, 100], [10, 40]))).toBe(0)
    expect(perMinute(read([100, 100], [50, 110], [60, 120]))).toBe(60)
  })
})
