/** A scenario's node with its first project, ready for events. */
import type { Setting } from "../Scenario.js"
import * as Api from "./Api.js"
import type * as Ledger from "./Ledger.js"
import * as Node from "./Node.js"
import * as Storage from "./Storage.js"
import * as Verify from "./Verify.js"

export interface Session {
  readonly node: Node.Node
  readonly project: Api.Project
  /** The project's envelope endpoint. */
  readonly url: string
}

export const open = async (setting: Setting, storage: Storage.Storage): Promise<Session> => {
  const node = await Node.start(setting.bin, storage.args, setting.cleanup)
  await Api.liftLimits(node)
  const project = await Api.firstProject(node)
  return { node, project, url: Api.envelopeUrl(node, project) }
}

/**
 * Waits until everything accepted can be read, checks it, stops the nodes, and checks for dead letters. The caller must
 * pass all nodes that run on the storage.
 */
export const conclude = async (
  setting: Setting,
  storage: Storage.Storage,
  { node, project }: Session,
  ledgers: ReadonlyArray<Ledger.Ledger>,
  others: ReadonlyArray<Node.Node> = [],
): Promise<void> => {
  const { findings } = setting
  const accepted = new Set(ledgers.flatMap((ledger) => [...ledger.accepted])).size
  await Verify.settled(node, project, accepted)
  await Verify.eachOnce(findings, node, project, ledgers)
  Verify.answers(findings, ledgers)
  for (const each of [node, ...others]) {
    const code = await each.end("SIGTERM")
    findings.check(code === 0, () => `A node that was asked to stop ended with ${code}`)
  }
  const deadLetters = await Storage.deadLetters(setting.bin, storage)
  findings.count("dead letters", deadLetters)
  findings.check(deadLetters === 0, () => `${deadLetters} dead letters`)
}
