/** Invariants of accepted events, once they are recorded. */
import { setTimeout as pause } from "node:timers/promises"
import * as Api from "./Api.js"
import type { Findings } from "./Findings.js"
import * as Ledger from "./Ledger.js"
import type { Node } from "./Node.js"

export interface Settled {
  /** When the last report became visible, in ms since the process began. */
  readonly at: number
}

/**
 * Waits until as many reports can be read as were accepted, the queue is empty, and no more reports appear. The count
 * alone is not enough. It includes events that were stored although the sender got 503, and a batch whose worker lost
 * its connection is recorded only after its lease expires. With `unrecordable`, events that are still retried before
 * they become dead letters may be left.
 */
export const settled = async (
  node: Node,
  project: Api.Project,
  accepted: number,
  left: "nothing" | "unrecordable" = "nothing",
): Promise<Settled> => {
  const end = performance.now() + 180_000
  let at = performance.now()
  let last = -1
  for (;;) {
    const { reports_count: count } = await Api.get<Api.Project>(node, `/projects/${project.id}`)
    const { pending_ingest_bytes: waiting } = await Api.get<Api.IngestProtection>(
      node,
      "/data_retention/ingest_protection",
    )
    const now = performance.now()
    if (count !== last) at = now
    last = count
    const isThrough = count >= accepted && (waiting === 0 || left === "unrecordable")
    if ((isThrough && now - at > 700) || now > end) return { at }
    await pause(25)
  }
}

/**
 * Checks that each event answered with 200 is stored exactly once, that nothing else is stored, and that all counts
 * agree. The ledgers must cover all requests to the project.
 */
export const eachOnce = async (
  findings: Findings,
  node: Node,
  project: Api.Project,
  ledgers: ReadonlyArray<Ledger.Ledger>,
): Promise<void> => {
  const stored = await sums(findings, node, project)
  const distinct = new Set(stored)
  const sent = new Set(ledgers.flatMap((ledger) => [...ledger.sent]))
  const accepted = [...new Set(ledgers.flatMap((ledger) => [...ledger.accepted]))]

  const lost = accepted.filter((id) => !distinct.has(id))
  const doubled = stored.length - distinct.size
  const foreign = [...distinct].filter((id) => !sent.has(id))
  findings.count("lost", lost.length)
  findings.count("doubled", doubled)
  findings.check(lost.length === 0, () => `${lost.length} accepted events are lost, e.g. ${lost[0]}`)
  findings.check(doubled === 0, () => `${doubled} reports are there twice`)
  findings.check(foreign.length === 0, () => `${foreign.length} reports are of events that nobody sent`)

  for (let index = 0; index < accepted.length; index += Math.ceil(accepted.length / 20)) {
    const id = accepted[index]!
    const readable = lost.includes(id) || (await Api.isReadable(node, project, id))
    findings.check(readable, () => `The event ${id} is in a list and cannot be looked up`)
  }
}

/** Checks that each group and the project count the reports that they list. Returns all event ids. */
export const sums = async (
  findings: Findings,
  node: Node,
  project: Api.Project,
): Promise<ReadonlyArray<string>> => {
  const { groups, groups_count, reports_count } = await unchanged(node, project)
  const stored: Array<string> = []
  for (const { counted, events, id } of groups) {
    findings.check(
      events.length === counted,
      () => `Group ${id} lists ${events.length} reports and counts ${counted}`,
    )
    stored.push(...events)
  }
  findings.check(
    reports_count === stored.length,
    () => `There are ${stored.length} reports, the project counts ${reports_count}`,
  )
  findings.check(
    groups_count === groups.length,
    () => `There are ${groups.length} groups, the project counts ${groups_count}`,
  )
  return stored
}

/** Checks that each group counts the notes that it lists. */
export const notes = async (findings: Findings, node: Node, project: Api.Project): Promise<void> => {
  for (const { id, notes_count: counted } of await Api.groupsOf(node, project)) {
    const { length } = await Api.notesOf(node, project, id)
    findings.check(length === counted, () => `Group ${id} lists ${length} notes and counts ${counted}`)
  }
}

/** Sums up the responses to honest senders, and checks that none is a server fault. */
export const answers = (findings: Findings, ledgers: ReadonlyArray<Ledger.Ledger>): void => {
  const faults = Ledger.countOf(ledgers, Ledger.isFault)
  const withoutRetryAfter = ledgers.reduce((sum, ledger) => sum + ledger.withoutRetryAfter(), 0)
  findings.count(
    "sent",
    ledgers.reduce((sum, ledger) => sum + ledger.sent.size, 0),
  )
  findings.count(
    "accepted",
    ledgers.reduce((sum, ledger) => sum + ledger.accepted.size, 0),
  )
  findings.count(
    "answered 503",
    Ledger.countOf(ledgers, (answered) => answered === 503),
  )
  findings.count("other 5xx", faults)
  findings.count(
    "resets",
    Ledger.countOf(ledgers, (answered) => answered === "broken"),
  )
  findings.count(
    "refused connections",
    Ledger.countOf(ledgers, (answered) => answered === "refused"),
  )
  for (const ledger of ledgers) {
    findings.most("longest outage ms", ledger.longestOutage())
    findings.most("longest wait ms", ledger.longestWait())
  }
  const silent = Ledger.countOf(ledgers, (answered) => answered === "silent")
  findings.check(faults === 0, () => `${faults} answers of 5xx other than 503`)
  findings.check(
    withoutRetryAfter === 0,
    () => `${withoutRetryAfter} answers of 503 or 429 without Retry-After`,
  )
  findings.check(silent === 0, () => `${silent} requests were never answered`)
}

/** For attacks by others, which honest senders must not notice. */
export const noneRefused = (findings: Findings, ledgers: ReadonlyArray<Ledger.Ledger>): void => {
  const all = Ledger.countOf(ledgers, () => true)
  const refused = Ledger.countOf(ledgers, (answered) => answered !== 200)
  findings.count("honest refused", refused)
  findings.check(refused === 0, () => `${refused} of ${all} honest requests were refused`)
}

// internal

/** Reads a project with its groups and their events, again if a report was recorded meanwhile. */
const unchanged = async (node: Node, project: Api.Project) => {
  const read = () => Api.get<Api.Project>(node, `/projects/${project.id}`)
  const end = performance.now() + 180_000
  for (let before = await read(); ; ) {
    const groups: Array<{ id: number; counted: number; events: ReadonlyArray<string> }> = []
    for (const { id, reports_count: counted } of await Api.groupsOf(node, project)) {
      groups.push({ id, counted, events: await Api.eventsOf(node, project, id) })
    }
    const after = await read()
    if (after.reports_count === before.reports_count || performance.now() > end) return { ...after, groups }
    before = after
  }
}
