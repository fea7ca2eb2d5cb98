import { expect } from "vitest"

/**
 * Fails if the whole input takes much longer than its quarters one by one. Both take equally long in linear time; in
 * quadratic time, the whole takes four times as long. Only the fastest of many rounds count, because other load
 * affects both. A round should take some milliseconds.
 */
export const expectLinear = (size: number, run: (size: number) => void): void => {
  const inQuarters = () => {
    for (let i = 0; i < 4; i++) run(size / 4)
  }
  // Warms up the JIT.
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
