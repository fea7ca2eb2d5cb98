/** Three source maps of 4.9 million unsorted mappings on one line, and events that need them. */
import { setTimeout as pause } from "node:timers/promises"
import * as Scripts from "../lib/Scripts.js"
import * as Session from "../lib/Session.js"
import type { Scenario } from "../Scenario.js"

/** Milliseconds that events of another project may wait. */
const mostWait = 1_000

/** MB of the process; a map of that size alone takes a hundred in memory. */
const mostMemory = 1_500

/** Columns go up and down by 16. */
const hostile = (mappings: number): string => {
  const pair = "gBAAA,hBAAA,"
  return JSON.stringify({
    version: 3,
    sources: ["a.js"],
    names: [],
    mappings: `gBAAA,${pair.repeat(mappings / 2)}`,
  })
}

const run: Scenario["run"] = async (setting) => {
  const { findings, size } = setting
  const storage = await setting.storage()
  const { node, project } = await Session.open(setting, storage)
  const other = await Scripts.createProject(node)
  const maps = size === "short" ? 1 : 3
  for (let i = 0; i < maps; i++) {
    const content = hostile(size === "short" ? 1_000_000 : 4_900_000 - i * 2)
    await Scripts.upload(node, project, "hostile", { name: `~/assets/h${i}.js.map`, content })
  }
  await Scripts.send(node, other, "plain", null)
  await Scripts.recorded(node, other, 1)
  for (let i = 0; i < 2 * maps; i++) await Scripts.send(node, project, "hostile", `h${i % maps}`)
  let most = 0
  const events = size === "short" ? 3 : 20
  for (let i = 2; i < 2 + events; i++) {
    await Scripts.send(node, other, "plain", null)
    most = Math.max(most, await Scripts.recorded(node, other, i))
    await pause(100)
  }
  findings.set("longest wait of another project ms", most)
  findings.check(most < mostWait, () => `An event of another project waited ${most} ms`)
  findings.set("hostile events recorded after ms", await Scripts.recorded(node, project, 2 * maps))
  const peak = node.peakMemory()
  findings.set("peak MB", peak)
  findings.check(peak === null || peak < mostMemory, () => `The node took ${peak} MB`)
  const code = await node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

export const scenario: Scenario = { name: "hostile maps", kinds: ["postgres"], run }
