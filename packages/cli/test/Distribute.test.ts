/** `errata migrate --distribute`, and servers on the cluster at `CITUS_URL`; without one, only how it refuses other databases. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { clusterOf, clusterUrl, freshCluster, urlsOf } from "../../storage-postgres/test/support/citus.js"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import { query } from "../../storage-postgres/test/support/direct.js"
import * as Events from "./faults/support/Events.js"
import * as Http from "./faults/support/Http.js"
import * as Instance from "./faults/support/Instance.js"
import * as Receiver from "./faults/support/Receiver.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"

const run = (...line: ReadonlyArray<string>) => Effect.promise(() => Server.run(line))

const change = <A>(server: Server.Server, method: string, path: string, body: object = {}) =>
  Effect.promise(async () => {
    const answer = await Instance.call(server, path, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`)
    return (answer.body === "" ? null : JSON.parse(answer.body)) as A
  })

const send = (server: Server.Server, project: Instance.Project, id: string, index: number) =>
  Effect.promise(async () => {
    const { status } = await Http.send(Instance.envelopeUrl(server, project), {
      body: Events.envelope(id, index),
    })
    expect(status).toBe(200)
  })

describe("errata migrate --distribute", () => {
  it.live("rejects a database that is not a cluster", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { code, stderr } = yield* run(
        "migrate",
        "--distribute",
        "--database-url",
        Redacted.value(database),
      )
      expect(code).toBe(1)
      expect(stderr).toContain(
        "errata: The projects cannot be distributed: the database has no extension citus.",
      )
    }),
  )

  it.live.skipIf(clusterUrl === undefined)(
    "distributes projects with their data, and servers work with it",
    () =>
      Effect.gen(function* () {
        const cluster = yield* clusterOf()
        const url = Redacted.value(cluster.url)
        const command = ["migrate", "--distribute", "--buckets", "3", "--database-url", url]
        const distribute = run(...command)
        const before = yield* Server.start(["--database-url", url])
        const first = yield* Instance.firstProject(before)
        yield* send(before, first, Events.eventId("d0000001", 1), 1)
        yield* until("it is recorded", async () => {
          return (await Instance.findReport(before, first, Events.eventId("d0000001", 1))) !== null
        })
        yield* Effect.promise(() => before.end("SIGTERM"))

        const killed = yield* Server.spawnScoped(command)
        const isBegun = "SELECT 1 FROM pg_namespace WHERE nspname = 'errata_b1'"
        yield* until("the second bucket is begun", async () => (await query(url, isBegun)).length > 0)
        killed.child.kill("SIGKILL")
        yield* Effect.promise(() => killed.closed)
        // It goes on, also twice at once, and can be repeated.
        const outcomes = yield* Effect.all([distribute, distribute], { concurrency: 2 })
        for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 0, stderr: "" })
        expect(yield* distribute).toMatchObject({ code: 0, stderr: "" })

        const receiver = yield* Receiver.make
        const environment = { ERRATA_ALLOW_PRIVATE_ADDRESSES: "true" }
        const server = yield* Server.start(["--database-url", url], environment)
        const other = yield* Server.start(["--database-url", url], {
          ...environment,
          ERRATA_DATABASE_WORKER_URLS: urlsOf(cluster.workers),
        })
        expect(
          yield* Effect.promise(() => Instance.findReport(other, first, Events.eventId("d0000001", 1))),
        ).not.toBeNull()
        const projects: Array<Instance.Project> = [first]
        for (const name of ["second", "third", "fourth"]) {
          const project = yield* change<Instance.Project>(server, "POST", "/projects", { name })
          projects.push(project)
        }
        for (const [i, project] of projects.entries()) {
          yield* change(server, "POST", `/projects/${project.id}/webhooks`, {
            url: receiver.url,
            events: ["group.created", "group.resolved"],
          })
          yield* send(i % 2 === 0 ? server : other, project, Events.eventId("d0000002", i), 2)
        }
        for (const [i, project] of projects.entries()) {
          yield* until("it is recorded", async () => {
            return (await Instance.findReport(other, project, Events.eventId("d0000002", i))) !== null
          })
          const groups = yield* Instance.groupsOf(server, project)
          expect(groups).toHaveLength(i === 0 ? 2 : 1)
          yield* change(other, "POST", `/projects/${project.id}/groups/${groups[0]!.id}/resolve`)
        }
        yield* until("all is told", async () => receiver.received.length >= 2 * projects.length)
        const listed = yield* Instance.get<{ readonly projects: ReadonlyArray<Instance.Project> }>(
          server,
          "/projects",
        )
        expect(listed.projects.map(({ reports_count }) => reports_count)).toEqual([1, 1, 1, 2])
        const status = yield* run("status", "--local", "--database-url", url)
        expect(status.stdout).toMatch(/^ok +migrations$/m)
      }),
    180_000,
  )

  it.live.skipIf(clusterUrl === undefined)(
    "keeps every accepted event while a bucket moves to another node",
    () =>
      Effect.gen(function* () {
        const url = Redacted.value(yield* freshCluster)
        yield* run("migrate", "--distribute", "--buckets", "2", "--database-url", url)
        const server = yield* Server.start(["--database-url", url])
        const project = yield* Instance.firstProject(server)
        const schema = `errata_b${project.id % 2}`
        const accepted = yield* Effect.promise(async () => {
          const nodes = await query(
            url,
            `SELECT nodename AS host, nodeport AS port, EXISTS (
               SELECT FROM citus_shards AS s WHERE s.nodeport = n.nodeport AND s.table_name::text = '${schema}.groups'
             ) AS has_bucket
             FROM pg_dist_node AS n WHERE groupid > 0 ORDER BY has_bucket`,
          )
          const [to, from] = nodes
          expect([to?.has_bucket, from?.has_bucket]).toEqual([false, true])
          let isMoved = false
          const moving = query(
            url,
            `SELECT citus_schema_move('${schema}', '${to!.host}', ${to!.port}, shard_transfer_mode => 'block_writes')`,
          ).finally(() => {
            isMoved = true
          })
          const ids: Array<string> = []
          while (!isMoved || ids.length < 20) {
            const id = Events.eventId("d0000003", ids.length)
            const { status } = await Http.send(Instance.envelopeUrl(server, project), {
              body: Events.envelope(id, ids.length),
            })
            // A refused event is sent again, as an SDK does.
            if (status === 200) ids.push(id)
          }
          await moving
          return ids
        })
        yield* until("all are recorded", async () => {
          const found = await Promise.all(accepted.map((id) => Instance.findReport(server, project, id)))
          return found.every((report) => report !== null)
        })
      }),
    180_000,
  )
})
