/** Waits for conditions. The deadline only ends runs that have failed. */
import { setTimeout as pause } from "node:timers/promises"

export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMillis = 60_000,
  intervalMillis = 25,
): Promise<void> => {
  const end = performance.now() + deadlineMillis
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${deadlineMillis} ms in vain: ${what}`)
    await pause(intervalMillis)
  }
}
