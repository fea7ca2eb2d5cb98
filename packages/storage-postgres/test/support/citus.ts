/** Databases on the cluster at `CITUS_URL`, whose user is a superuser of all nodes. */

import { randomUUID } from "node:crypto"
import { Effect, Redacted, type Scope } from "effect"
import { execute, query } from "./direct.js"

/** The URL of the coordinator. Tests that need a cluster are skipped if it is undefined. */
export const clusterUrl = process.env.CITUS_URL

export interface Node {
  readonly host: string
  readonly port: number
}

export interface Cluster {
  readonly url: Redacted.Redacted
  /** The address of the database on each worker. */
  readonly workers: ReadonlyArray<{ readonly node: Node; readonly url: string }>
}

/** A new database on all nodes; dropped when the scope closes. The coordinator knows the first workers, or all of them. */
export const clusterOf = (known = Number.POSITIVE_INFINITY): Effect.Effect<Cluster, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const name = `errata_test_${randomUUID().replaceAll("-", "")}`
      const nodes = await nodesOf(clusterUrl!)
      for (const node of nodes) {
        await execute(at(node, "postgres"), `CREATE DATABASE ${name}`)
        await execute(at(node, name), "CREATE EXTENSION citus")
      }
      const [coordinator, ...workers] = nodes
      const url = at(coordinator!, name)
      await execute(url, `SELECT citus_set_coordinator_host('${coordinator!.host}', ${coordinator!.port})`)
      for (const { host, port } of workers.slice(0, known))
        await execute(url, `SELECT citus_add_node('${host}', ${port})`)
      return { name, nodes, url, workers }
    }),
    ({ name, nodes }) =>
      Effect.promise(async () => {
        for (const node of nodes) {
          await execute(at(node, "postgres"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
        }
      }),
  ).pipe(
    Effect.map(({ name, url, workers }) => ({
      url: Redacted.make(url),
      workers: workers.map((node) => ({ node, url: at(node, name) })),
    })),
  )

/** The value of `ERRATA_DATABASE_WORKER_URLS`. */
export const urlsOf = (workers: Cluster["workers"]): string => workers.map(({ url }) => url).join(",")

export const freshCluster: Effect.Effect<Redacted.Redacted, never, Scope.Scope> = Effect.map(
  clusterOf(),
  ({ url }) => url,
)

// internal

/** The coordinator first. */
const nodesOf = async (url: string): Promise<ReadonlyArray<Node>> =>
  (await query(
    url,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid",
  )) as Array<Node>

const at = ({ host, port }: Node, database: string): string => {
  const url = new URL(clusterUrl!)
  url.hostname = host
  url.port = String(port)
  url.pathname = `/${database}`
  return url.href
}
