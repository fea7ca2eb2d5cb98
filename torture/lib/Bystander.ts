/** Events of another project while a server is attacked: how long each of them waits to be recorded. */
import { setTimeout as pause } from "node:timers/promises"
import type { Findings } from "./Findings.js"
import type { Node } from "./Node.js"
import * as Scripts from "./Scripts.js"

/** Milliseconds that an event of another project may wait. */
const mostWait = 1_000

export interface Attack {
  /** Ends when the attacker has nothing more to send. */
  readonly run: () => Promise<void>
  /** MB that the node may take. */
  readonly mostMemory: number
}

/** Runs an attack; an event that is not recorded within a second, and too much memory, are findings. */
export const besides = async (node: Node, findings: Findings, { mostMemory, run }: Attack): Promise<void> => {
  const other = await Scripts.createProject(node)
  await Scripts.send(node, other, "plain", null)
  await Scripts.recorded(node, other, 1)
  let ended = false
  const attack = run().finally(() => {
    ended = true
  })
  let longest = 0
  let count = 1
  while (!ended) {
    await Scripts.send(node, other, "plain", null)
    longest = Math.max(longest, await Scripts.recorded(node, other, ++count))
    await pause(50)
  }
  await attack
  findings.set("events of another project", count - 1)
  findings.set("longest wait of another project ms", longest)
  findings.check(longest < mostWait, () => `An event of another project waited ${longest} ms`)
  const peak = node.peakMemory()
  findings.set("peak MB", peak)
  findings.check(peak === null || peak < mostMemory, () => `The node took ${peak} MB`)
}
