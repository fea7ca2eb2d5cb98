import { expect, it } from "vitest"
import { defaultProcesses } from "../src/ServerChoice.js"

const GiB = 2 ** 30

it("uses half of four or more cores, up to four processes, only with PostgreSQL", () => {
  const on = (cores: number) => defaultProcesses("postgres", cores, 16 * GiB)
  expect([1, 2, 3, 4, 5, 8, 64].map(on)).toEqual([1, 1, 1, 2, 2, 4, 4])
  expect([defaultProcesses("embedded", 64, 16 * GiB), defaultProcesses("memory", 64, 16 * GiB)]).toEqual([
    1, 1,
  ])
})

it("starts no more processes than fit in memory", () => {
  const on = (memory: number) => defaultProcesses("postgres", 64, memory)
  expect([0.25, 0.5, 1, 1.5, 2, 8].map((gibibytes) => on(gibibytes * GiB))).toEqual([1, 1, 2, 3, 4, 4])
})
