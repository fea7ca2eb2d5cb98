/** Three source maps of 4.9 million unsorted mappings on one line, and events that need them. */
import * as Bystander from "../lib/Bystander.js"
import * as Scripts from "../lib/Scripts.js"
import * as Session from "../lib/Session.js"
import type { Scenario } from "../Scenario.js"

/** Each of the maps has 29 MB, and 100 MB when it is parsed; one is parsed at a time. 700 MB were measured. */
const mostMemory = 1_100

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
  const maps = size === "short" ? 1 : 3
  for (let i = 0; i < maps; i++) {
    const content = hostile(size === "short" ? 1_000_000 : 4_900_000 - i * 2)
    await Scripts.upload(node, project, "hostile", { name: `~/assets/h${i}.js.map`, content })
  }
  const run = async () => {
    for (let i = 0; i < 2 * maps; i++) await Scripts.send(node, project, "hostile", `h${i % maps}`)
    findings.set("hostile events recorded after ms", await Scripts.recorded(node, project, 2 * maps))
  }
  await Bystander.besides(node, findings, { mostMemory, run })
  const code = await node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

export const scenario: Scenario = { name: "hostile maps", kinds: ["postgres"], run }
