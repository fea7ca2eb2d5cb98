import { expect } from "vitest"

/**
 * Fails where four times as much to do takes more than ten times as long; for what is quadratic it is sixteen. The quickest
 * of five turns each counts, the two in turns, so that whatever else the machine does says nothing about it. At this size
 * the run should take some milliseconds.
 */
export const expectLinear = (size: number, run: (size: number) => void): void => {
  // Also to have it compiled.
  run(size / 4)
  const quickest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
  for (let turn = 0; turn < 5; turn++) {
    for (const [i, part] of [size / 4, size].entries()) {
      const began = performance.now()
      run(part)
      quickest[i] = Math.min(quickest[i]!, performance.now() - began)
    }
  }
  const [quarter, whole] = quickest
  expect(whole / quarter, `${quarter} ms for a quarter, ${whole} ms for all of it`).toBeLessThan(10)
}
