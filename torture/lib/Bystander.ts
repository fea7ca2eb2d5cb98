/** Events of another project, before and during an attack, and the time until each is recorded. */
import { setTimeout as pause } from "node:timers/promises"
import type { Findings } from "./Findings.js"
import type { Node } from "./Node.js"
import * as Scripts from "./Scripts.js"

/** Milliseconds that an event may take longer than the slowest event before the attack. */
const mostWait = 1_000

/** Events before the measurement: the first ones of a process are slower. */
const warmUp = 5
const eventsBefore = 20

export interface Attack {
  /** Ends when the attacker has nothing left to send. */
  readonly run: () => Promise<void>
  /** MB that the node may use in addition to its peak before the attack. */
  readonly mostMemory: number
}

/** Runs an attack. Slow events of another project and high memory use are findings. */
export const besides = async (node: Node, findings: Findings, { mostMemory, run }: Attack): Promise<void> => {
  const other = await Scripts.createProject(node)
  let events = 0
  /** From the request until the report is counted, so that a blocked event loop is included. */
  const wait = async () => {
    const began = performance.now()
    await Scripts.send(node, other, "plain", null)
    await Scripts.recorded(node, other, ++events)
    const waited = Math.round(performance.now() - began)
    await pause(50)
    return waited
  }
  for (let i = 0; i < warmUp; i++) await wait()
  let before = 0
  for (let i = 0; i < eventsBefore; i++) before = Math.max(before, await wait())
  const memory = node.peakMemory()

  let ended = false
  // It may fail after the events have failed, when no caller awaits it.
  const attack = run().then(
    () => null,
    (error: unknown) => error,
  )
  void attack.then(() => {
    ended = true
  })
  const waits: Array<number> = []
  const watch = async () => {
    do waits.push(await wait())
    while (!ended)
    const failure = await attack
    if (failure !== null) throw failure
  }
  try {
    await watch()
  } catch (error) {
    // Connections break before the end of the process is known.
    await pause(500)
    if (node.running()) throw error
    throw new Error(`The node ended during the attack:\n${node.output().slice(-1_000)}`)
  }

  const longest = Math.max(...waits)
  findings.set("events of another project", waits.length)
  findings.set("longest wait before the attack ms", before)
  findings.set("longest wait of another project ms", longest)
  findings.check(
    longest < before + mostWait,
    () => `An event of another project waited ${longest} ms, and ${before} ms before the attack`,
  )
  const peak = node.peakMemory()
  findings.set("peak MB", peak)
  if (peak === null || memory === null) return
  findings.set("peak MB before the attack", memory)
  findings.check(
    peak - memory < mostMemory,
    () => `The node took ${peak - memory} MB in addition to ${memory} MB`,
  )
}
