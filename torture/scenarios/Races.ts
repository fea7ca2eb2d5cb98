/** Twenty clients change the same groups at once on two nodes, while events arrive on both. */
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Api from "../lib/Api.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const clients = 20

const run: Scenario["run"] = async (setting) => {
  const { bin, chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const { node, project } = session
  const other = await Node.start(bin, storage.args, cleanup)
  const nodes = [node, other]
  const traffic = nodes.map((target) =>
    Traffic.start(
      { url: () => Api.envelopeUrl(target, project), source: setting.source(), connections: 3, pause: 5 },
      cleanup,
    ),
  )
  await until("there are groups", async () => (await Api.groupsOf(node, project)).length >= Events.groups)

  const statuses = new Map<string, number>()
  const below = `/projects/${project.id}/groups`
  const change = async (target: Node.Node, method: string, path: string, body?: unknown) => {
    const { body: text, status } = await Api.call(target, method, path, body)
    const key = `${status}`
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
    findings.check(
      status < 500,
      () => `${method} ${path} ${JSON.stringify(body ?? null)} answered ${status}: ${text.slice(0, 200)}`,
    )
    return { status, text }
  }
  let stopped = false
  cleanup.defer(() => {
    stopped = true
  })
  const client = async () => {
    while (!stopped) {
      const groups = await Api.groupsOf(chance.pick(nodes), project)
      const target = chance.pick(nodes)
      const group = chance.pick(groups).id
      const some = groups.filter(() => chance.next() < 0.3).map(({ id }) => id)
      const ids = some.length === 0 ? [group] : some
      const path = `${below}/${group}`
      await chance.pick([
        () => change(target, "POST", `${path}/resolve`),
        () => change(target, "DELETE", `${path}/resolve`),
        () => change(target, "POST", `${path}/mute`, chance.next() < 0.5 ? { occurrences: 3 } : undefined),
        () => change(target, "DELETE", `${path}/mute`),
        () => change(target, "POST", `${path}/bulk_resolve`, { group_ids: ids }),
        () => change(target, "DELETE", `${path}/bulk_resolve`, { group_ids: ids }),
        () => change(target, "POST", `${path}/bulk_mute`, { group_ids: ids }),
        () => change(target, "DELETE", `${path}/bulk_mute`, { group_ids: ids }),
        () => change(target, "POST", `${path}/bulk_merge`, { group_ids: ids.slice(0, 2) }),
        async () => {
          const { status, text } = await change(target, "GET", `${path}/merges`)
          if (status !== 200) return
          const { merges } = JSON.parse(text) as { readonly merges: ReadonlyArray<{ readonly id: number }> }
          if (merges.length === 0) return
          // Two requests at once, one of which comes too late.
          const undo = (where: Node.Node) =>
            change(where, "DELETE", `${path}/merges/${chance.pick(merges).id}`)
          await Promise.all(chance.next() < 0.5 ? [undo(node), undo(other)] : [undo(target)])
        },
        async () => {
          const { status, text } = await change(target, "POST", `${path}/notes`, { content: "seen" })
          if (status !== 201) return
          const { id } = JSON.parse(text) as { readonly id: number }
          // Two requests at once, one of which comes too late.
          const remove = (where: Node.Node) => change(where, "DELETE", `${path}/notes/${id}`)
          if (chance.next() < 0.5) await Promise.all([remove(node), remove(other)])
        },
        async () => {
          const { status, text } = await change(target, "POST", "/projects", { name: "For a moment" })
          if (status !== 201) return
          const made = JSON.parse(text) as Api.Project
          const id = Events.eventId("7fffffff", made.id)
          await Traffic.ask(Api.envelopeUrl(target, made), { body: Events.envelope(id, 1) }, 30_000)
          await Promise.all(nodes.map((where) => change(where, "DELETE", `/projects/${made.id}`)))
        },
      ])()
    }
  }
  const racing = Promise.all(Array.from({ length: clients }, client))
  await pause(size === "short" ? 2_500 : 40_000)
  stopped = true
  await racing
  for (const each of traffic) await each.stop()
  const ledgers = traffic.map(({ ledger }) => ledger)
  findings.set("changes", [...statuses].map(([status, times]) => `${times} of ${status}`).join(", "))
  Verify.noneRefused(findings, ledgers)

  await Verify.settled(
    other,
    project,
    ledgers.reduce((sum, { accepted }) => sum + accepted.size, 0),
  )
  await Verify.notes(findings, other, project)
  await Verify.eachOnce(findings, other, project, ledgers)
  await Session.conclude(setting, storage, session, ledgers, [other])
}

export const scenario: Scenario = { name: "races", kinds: ["postgres"], run }
