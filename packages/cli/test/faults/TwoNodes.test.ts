import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Expect from "./support/Expect.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

const twoNodes = Effect.gen(function* () {
  const url = yield* freshDatabase
  const start = Server.start(["--database-url", Redacted.value(url)])
  const [one, two] = yield* Effect.all([start, start], { concurrency: 2 })
  return { url, one, two }
})

const runCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { code, stdout } = yield* Effect.promise(() => Server.run(args))
  expect(code).toBe(0)
  return stdout
})

describe("two nodes on one database", () => {
  it.live("that start concurrently create one admin and one project", () =>
    Effect.gen(function* () {
      const { one, two } = yield* twoNodes
      const created = [one, two].filter((node) => node.output().includes("Created the admin"))
      expect(created).toHaveLength(1)
      const { projects } = yield* Instance.get<{ projects: ReadonlyArray<Instance.Project> }>(
        two,
        "/projects",
      )
      expect(projects).toHaveLength(1)
    }),
  )

  it.live("record the events of both, and an event that both receive concurrently once", () =>
    Effect.gen(function* () {
      const { one, two, url } = yield* twoNodes
      const project = yield* Instance.firstProject(one)
      const [first, second] = [one, two].map((node) => Instance.envelopeUrl(node, project)) as [
        string,
        string,
      ]
      // Loads with the same source send the same events, each to its own node.
      const loads = yield* Effect.forEach(
        [
          { source: "c0000001", target: first },
          { source: "c0000001", target: second },
          { source: "c0000002", target: first },
          { source: "c0000003", target: second },
        ],
        ({ source, target }) => Load.start({ source, target: () => ({ url: target }), connections: 8 }),
      )
      yield* until("all loads are under way", () => loads.every((load) => load.accepted.size > 200))
      for (const load of loads) yield* load.stop
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(one, url, loads)
      yield* Expect.eachOnce(two, url, loads)
      for (const load of loads) expect([...load.statuses.keys()]).toEqual([200])

      const [same, again] = loads as [Load.Load, Load.Load]
      expect([...same.accepted].filter((id) => again.accepted.has(id)).length).toBeGreaterThan(100)
    }),
  )

  it.live("lose nothing when one of them is killed under load: the other continues its work", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const start = Server.start(["--database-url", Redacted.value(url)])
      const [killed, left] = yield* Effect.all([start, start], { concurrency: 2 })
      const project = yield* Instance.firstProject(left)
      const loads = yield* Effect.forEach([killed, left], (node, i) =>
        Load.start({
          source: `c000004${i}`,
          target: () => ({ url: Instance.envelopeUrl(node, project) }),
          connections: 8,
        }),
      )
      yield* until("both are loaded", () => loads.every((load) => load.accepted.size > 150))
      expect(yield* Effect.promise(() => killed.end("SIGKILL"))).toBe(null)
      const atKill = loads[1]!.accepted.size
      yield* until("the other goes on", () => loads[1]!.accepted.size > atKill + 150)
      for (const load of loads) yield* load.stop
      expect([...loads[1]!.statuses.keys()]).toEqual([200])
      // A killed node does not release its batches.
      yield* until(
        "the queue is empty",
        async () => (await Effect.runPromise(Queue.counts(url))).pending === 0,
      )
      yield* Expect.eachOnce(left, url, loads)
      yield* until("it is ready", async () => (await Http.send(`${left.url}/ready`)).body === "ready")
    }),
  )

  it.live("show changes from the other node immediately", () =>
    Effect.gen(function* () {
      const { one, two, url } = yield* twoNodes
      const project = yield* Instance.firstProject(one)
      const sendTo = (node: Server.Server, index: number) =>
        Effect.promise(() =>
          Http.send(Instance.envelopeUrl(node, project), {
            body: Events.envelope(Events.eventId("c0000011", index), index),
          }),
        )
      expect((yield* sendTo(one, 0)).status).toBe(200)
      yield* Expect.recorded(url)
      const [group] = yield* Instance.groupsOf(two, project)
      const path = `/projects/${project.id}/groups/${group!.id}`
      const shown = (node: Server.Server) => Instance.get<Instance.Group>(node, path)
      const change = (node: Server.Server, method: string, what: string) =>
        Effect.promise(async () =>
          expect((await Instance.call(node, path + what, { method })).status).toBe(204),
        )

      yield* change(one, "POST", "/resolve")
      expect(yield* shown(two)).toMatchObject({ resolved: true, muted: false })
      yield* change(two, "POST", "/mute")
      expect(yield* shown(one)).toMatchObject({ resolved: true, muted: true })
      yield* change(one, "DELETE", "/mute")
      expect(yield* shown(two)).toMatchObject({ resolved: true, muted: false })

      // The same error again, through the other node.
      expect((yield* sendTo(two, Events.groups)).status).toBe(200)
      yield* Expect.recorded(url)
      expect(yield* shown(one)).toMatchObject({ resolved: false, reports_count: 2 })
    }),
  )

  it.live("change a group at the same time without losing a change or a report", () =>
    Effect.gen(function* () {
      const { one, two, url } = yield* twoNodes
      const project = yield* Instance.firstProject(one)
      const load = yield* Load.start({
        source: "c0000021",
        target: () => ({ url: Instance.envelopeUrl(one, project) }),
        connections: 8,
      })
      yield* until(
        "there are groups",
        async () => (await Effect.runPromise(Instance.groupsOf(two, project))).length === Events.groups,
      )
      const groups = yield* Instance.groupsOf(two, project)
      const statuses = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, round) => round).flatMap((round) =>
          groups.flatMap((group) => [
            { node: one, group, method: round % 2 === 0 ? "POST" : "DELETE", what: "mute" },
            { node: two, group, method: "POST", what: "resolve" },
          ]),
        ),
        ({ node, group, method, what }) =>
          Effect.promise(async () => {
            const path = `/projects/${project.id}/groups/${group.id}/${what}`
            return (await Instance.call(node, path, { method })).status
          }),
        { concurrency: 8 },
      )
      expect([...new Set(statuses)]).toEqual([204])
      yield* load.stop
      expect([...load.statuses.keys()]).toEqual([200])
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(two, url, [load])
    }),
  )

  it.live(
    "share the background work outside the recorders' threads, and continue the work of a killed node",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const start = Server.start(["--database-url", Redacted.value(url)], {
          ERRATA_BACKGROUND_INTERVAL: "1 second",
        })
        const nodes = yield* Effect.all([start, start], { concurrency: 2 })
        const jobs = () =>
          Effect.runPromise(
            Queue.query<{ readonly name: string; readonly node: string; readonly done: number | null }>(
              url,
              `SELECT name, node, extract(epoch FROM succeeded_at)::float8 AS done FROM errata.jobs ORDER BY name`,
            ),
          )
        const hourly = new Set(["archive-bodies", "prepare-storage"])
        const names = [
          "archive-bodies",
          "clear-mutes",
          "disable-failing-targets",
          "dispatch",
          "expire-dead-letters",
          "expire-uploads",
          "forget-activity",
          "forget-alert-states",
          "forget-deliveries",
          "forget-events",
          "forget-hosted-maps",
          "forget-oauth",
          "forget-sign-ins",
          "map-frames",
          "measure-alerts",
          "mute-projects",
          "prepare-storage",
          "purge-groups",
          "purge-projects",
          "record",
          "retain-artifacts",
          "retain-errors",
          "rotate-secrets",
          "send-digests",
          "summarize-notifications",
        ]
        yield* until("all of it has been done", async () => {
          const known = await jobs()
          return known.length >= names.length && known.every(({ done }) => done !== null)
        })
        const known = yield* Effect.promise(jobs)
        expect(known.map(({ name }) => name)).toEqual(names)
        const isOf = (part: string) => (node: string) =>
          nodes.some(({ child }) => node.includes(`:${child.pid}:${part}/`))
        for (const { name, node } of known) {
          expect(isOf(name === "record" ? "recorder" : "server")(node), `${name} on ${node}`).toBe(true)
        }

        const killed = nodes.find(({ child }) => known[0]!.node.includes(`:${child.pid}:`))!
        yield* Effect.promise(() => killed.end("SIGKILL"))
        const before = yield* Effect.promise(jobs)
        yield* until("the other node does all of it", async () =>
          (await jobs()).every(
            ({ done, name, node }, i) =>
              hourly.has(name) || (!node.includes(`:${killed.child.pid}:`) && done! > (before[i]!.done ?? 0)),
          ),
        )
      }),
  )

  it.live("both reject the token of a deleted project, the other within a second", () =>
    Effect.gen(function* () {
      const { one, two } = yield* twoNodes
      const project = yield* Instance.firstProject(one)
      const send = (node: Server.Server, index: number) =>
        Effect.promise(async () => {
          const body = Events.envelope(Events.eventId("c0000031", index), index)
          return (await Http.send(Instance.envelopeUrl(node, project), { body })).status
        })
      expect([yield* send(one, 0), yield* send(two, 1)]).toEqual([200, 200])
      const deleted = yield* Effect.promise(() =>
        Instance.call(one, `/projects/${project.id}`, { method: "DELETE" }),
      )
      expect(deleted.status).toBe(204)
      expect(yield* send(one, 2)).toBe(403)
      yield* Effect.sleep("1 second")
      expect(yield* send(two, 3)).toBe(403)
    }),
  )

  it.live("both reject a deactivated user and a replaced key immediately", () =>
    Effect.gen(function* () {
      const { one, two, url } = yield* twoNodes
      const storage = ["--database-url", Redacted.value(url)]
      const keyIn = (output: string) => /errata_\S+/.exec(output)![0]
      const status = (node: Server.Server, key: string) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${key}` }
          return (await Instance.call(node, "/projects", { headers })).status
        })

      const key = keyIn(yield* runCommand(["users", "create", ...storage, "ada@example.com"]))
      expect(yield* status(one, key)).toBe(200)
      expect(yield* status(two, key)).toBe(200)
      const replaced = keyIn(yield* runCommand(["users", "rotate-key", ...storage, "ada@example.com"]))
      expect(yield* status(one, key)).toBe(401)
      expect(yield* status(two, key)).toBe(401)
      expect(yield* status(one, replaced)).toBe(200)
      expect(yield* status(two, replaced)).toBe(200)
      yield* runCommand(["users", "deactivate", ...storage, "ada@example.com"])
      expect(yield* status(one, replaced)).toBe(401)
      expect(yield* status(two, replaced)).toBe(401)
    }),
  )
})
