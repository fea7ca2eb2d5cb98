/** Records the commands that a coordinator sends for the statements of an effect. It patches the driver, so run one effect at a time. */
import { Effect } from "effect"
import pg from "pg"

/** A command to a worker. */
export interface Command {
  readonly text: string
  readonly server: string
}

/** A statement of Errata, with its values. */
export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** Of the server that it was last sent to. */
  readonly port: number
}

/** Collects statements on buckets, and commands of connections with `citus.log_remote_commands`, until the scope closes. */
export const listen = Effect.acquireRelease(
  Effect.sync(() => {
    const commands: Array<Command> = []
    const statements = new Map<string, Sent>()
    const client = pg.Client.prototype as unknown as Driver
    const { emit, query } = client
    client.emit = function (event, ...args) {
      const [notice] = args as ReadonlyArray<{ readonly message?: string; readonly detail?: string }>
      if (event === "notice" && notice?.message?.startsWith("issuing ")) {
        commands.push({
          text: notice.message.slice(8),
          server: /@(\S+)/.exec(notice.detail ?? "")?.[1] ?? "",
        })
      }
      return emit.call(this, event, ...args)
    }
    client.query = function (given, ...rest) {
      const { text, values = [] } = typeof given === "string" ? { text: given } : (given as Sent)
      if (/\berrata_b\d/.test(text)) statements.set(text, { text, values, port: this.port })
      return query.call(this, given, ...rest)
    }
    const stop = () => Object.assign(client, { emit, query })
    return { commands, statements, stop }
  }),
  ({ stop }) => Effect.sync(stop),
)

/** How many tasks each part of a plan has: `[1]` where a statement is sent on as it is. */
export const tasksOf = async (client: pg.Client, { text, values }: Sent): Promise<ReadonlyArray<number>> => {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values])
  return [...JSON.stringify(rows).matchAll(/"Task Count":\s*(\d+)/g)].map(([, count]) => Number(count))
}

// internal

interface Driver {
  readonly port: number
  emit: (event: string, ...args: ReadonlyArray<unknown>) => boolean
  query: (given: unknown, ...rest: ReadonlyArray<unknown>) => unknown
}
