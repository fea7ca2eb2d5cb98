/**
 * A Citus cluster under load: a worker is killed, a worker is added, and buckets move. One node connects to the coordinator alone, and
 * another one also to the workers. Runs on `CITUS_URL`.
 */
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Redacted, Scope } from "effect"
import {
  type Cluster,
  clusterOf,
  clusterUrl,
  urlsOf,
  type Node as Worker,
} from "../../packages/storage-postgres/test/support/citus.js"
import * as Api from "../lib/Api.js"
import * as CitusWorker from "../lib/CitusWorker.js"
import { middle } from "../lib/Findings.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import { NotRun, type Scenario, type Setting } from "../Scenario.js"

interface Run {
  readonly cluster: Cluster
  readonly session: Session.Session
  readonly traffic: Traffic.Traffic
  /** The bucket of the project. */
  readonly bucket: number
  /** Where that bucket is. */
  readonly holder: () => Promise<Worker>
  readonly query: (statement: string) => ReturnType<typeof Storage.query>
  /** Waits until events are accepted again. */
  readonly accepts: (what: string) => Promise<void>
}

/** Distributes a new database over the first workers, and sends events until `strike` is over. */
const underLoad = async (setting: Setting, known: number, strike: (run: Run) => Promise<void>) => {
  if (clusterUrl === undefined) throw new NotRun("CITUS_URL names no cluster")
  const { bin, cleanup, findings, size } = setting
  const scope = Effect.runSync(Scope.make())
  cleanup.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const cluster = await Effect.runPromise(Scope.provide(clusterOf(known), scope))
  const url = Redacted.value(cluster.url)
  const storage = Storage.databaseStorage(url)
  const buckets = size === "short" ? 4 : 8
  await Node.run(bin, ["migrate", "--distribute", "--buckets", String(buckets), "--database-url", url])
  const session = await Session.open(setting, storage)
  const direct = await Node.start(bin, storage.args, cleanup, {
    ERRATA_DATABASE_WORKER_URLS: urlsOf(cluster.workers),
  })
  const urls = [session.url, Api.envelopeUrl(direct, session.project)]
  let sent = 0
  const traffic = Traffic.start(
    { url: () => urls[sent++ % 2]!, source: setting.source(), connections: 8, pause: 10 },
    cleanup,
  )
  const bucket = Number(session.project.id) % buckets
  const query = (statement: string) => Storage.query(url, statement)
  const holder = async () => {
    const [row] = await query(
      `SELECT nodename AS host, nodeport AS port FROM citus_shards WHERE table_name::text = 'errata_b${bucket}.groups'`,
    )
    return row as Worker
  }
  const accepts = (what: string) => {
    const before = traffic.ledger.accepted.size
    return until(`events are accepted ${what}`, () => traffic.ledger.accepted.size > before + 50, 90_000)
  }
  await accepts("before")
  await strike({ cluster, session, traffic, bucket, holder, query, accepts })
  await traffic.stop()
  findings.check(session.node.running() && direct.running(), () => "A node ended")
  await Session.conclude(setting, storage, session, [traffic.ledger], [direct])
}

const kill: Scenario["run"] = (setting) =>
  underLoad(setting, Number.POSITIVE_INFINITY, async ({ accepts, cluster, holder }) => {
    const { chance, cleanup, findings, size } = setting
    const { port } = await holder()
    const worker = await CitusWorker.of(cluster.workers.find(({ node }) => node.port === port)!.url, cleanup)
    const times: Array<number> = []
    for (let kill = 0; kill < (size === "short" ? 1 : 4); kill++) {
      await pause(chance.between(200, 2_000))
      worker.kill()
      findings.count("kills")
      await pause(chance.between(0, 3_000))
      await worker.start()
      const started = performance.now()
      await accepts("after the worker is back")
      times.push(Math.round(performance.now() - started))
    }
    findings.set("start to accepted ms, middle", middle(times))
  })

/** Events are accepted and buckets move meanwhile; senders that meet a lock are refused, and send again. */
const move: Scenario["run"] = (setting) =>
  underLoad(setting, 1, async ({ accepts, bucket, cluster, holder, query }) => {
    const { findings, size } = setting
    const [first, second] = cluster.workers.map(({ node }) => node)
    await query(`SELECT citus_add_node('${second!.host}', ${second!.port})`)
    await accepts("with a new worker")
    await query("SELECT citus_rebalance_start(shard_transfer_mode => 'block_writes')")
    await query("SELECT citus_rebalance_wait()")
    const [moved] = await query(
      `SELECT count(DISTINCT nodeport)::integer AS workers FROM citus_shards WHERE table_name::text LIKE 'errata\\_b%.groups'`,
    )
    findings.check(moved?.workers === 2, () => "The new worker has no bucket")
    await accepts("after the buckets moved")
    for (let time = 0; time < (size === "short" ? 1 : 4); time++) {
      const { port } = await holder()
      const to = port === first!.port ? second! : first!
      await query(
        `SELECT citus_schema_move('errata_b${bucket}', '${to.host}', ${to.port}, shard_transfer_mode => 'block_writes')`,
      )
      findings.count("moves")
      await accepts("after the bucket moved")
    }
  })

export const killed: Scenario = { name: "citus worker killed", kinds: ["postgres"], run: kill }
export const moved: Scenario = { name: "citus buckets moved", kinds: ["postgres"], run: move }
