import { expect } from "vitest"

/**
 * Fails where all of it takes much longer than four times a quarter of it: for what is quadratic that is four times as long.
 * Both take as long where it is linear, so that whatever else the machine does meets both alike, and the quickest of many
 * turns count. A run should take some milliseconds.
 */
export const expectLinear = (size: number, run: (size: number) => void): void => {
  const inQuarters = () => {
    for (let i = 0; i < 4; i++) run(size / 4)
  }
  // To have it compiled.
  inQuarters()
  let quarters = Number.POSITIVE_INFINITY
  let whole = Number.POSITIVE_INFINITY
  const isLinear = () => whole < 2.5 * quarters
  for (let turn = 0; turn < mostTurns && (turn < fewestTurns || !isLinear()); turn++) {
    quarters = Math.min(quarters, millisOf(inQuarters))
    whole = Math.min(
      whole,
      millisOf(() => run(size)),
    )
  }
  expect(isLinear(), `${whole} ms for all of it, ${quarters} ms for it in quarters`).toBe(true)
}

// internal

const fewestTurns = 3
const mostTurns = 50

const millisOf = (run: () => void): number => {
  const began = performance.now()
  run()
  return performance.now() - began
}
