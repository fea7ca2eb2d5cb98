/** The database fails under load, in all ways that databases and networks fail, and recovers. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as Proxy from "../../packages/cli/test/faults/support/Proxy.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario, Setting } from "../Scenario.js"

interface Fault {
  readonly name: string
  readonly strike: () => Promise<unknown>
  readonly mend: () => Promise<unknown>
}

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, kind } = setting
  const own = await setting.storage()
  const { faults, storage } =
    kind === "embedded" ? embeddedFaults(setting, own) : await databaseFaults(setting, own, cleanup)
  const session = await Session.open(setting, storage)
  const traffic = Traffic.start(
    { url: () => session.url, source: setting.source(), connections: 8, pause: 5 },
    cleanup,
  )
  const { accepted } = traffic.ledger
  const underWay = async (what: string) => {
    const before = accepted.size
    await until(`events are accepted ${what}`, () => accepted.size > before + 50, 60_000)
  }
  await underWay("before")
  for (const { mend, name, strike } of faults) {
    findings.count("outages")
    await strike()
    await mend()
    await underWay(`after ${name}`)
  }
  await traffic.stop()
  const resets = traffic.ledger.answers.get("broken") ?? 0
  findings.check(resets === 0, () => `${resets} requests were reset while the database was away`)
  const others = [...traffic.ledger.answers.keys()].filter((answered) => answered !== 200 && answered !== 503)
  findings.check(
    others.length === 0,
    () => `While the database was away senders were told ${others.join(", ")}`,
  )
  const ended = session.node.running()
  findings.check(ended, () => "The node ended")
  await Session.conclude(setting, own, session, [traffic.ledger])
}

const nothing = async () => {}

/** A proxy is between the node and the server. */
const databaseFaults = async (setting: Setting, own: Storage.Storage, cleanup: Cleanup) => {
  const { chance, size } = setting
  const direct = own.url ?? ""
  const scope = Effect.runSync(Scope.make())
  cleanup.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const proxy = await Effect.runPromise(Scope.provide(Proxy.make(Redacted.make(direct)), scope))
  const away = size === "short" ? 1_500 : 8_000
  const does = (effect: Effect.Effect<void>) => () => Effect.runPromise(effect)
  const database = new URL(direct).pathname.slice(1)
  const resetOften = async () => {
    for (let reset = 0; reset < (size === "short" ? 10 : 60); reset++) {
      await pause(chance.between(5, 150))
      await Effect.runPromise(proxy.reset)
    }
  }
  const faults: ReadonlyArray<Fault> = [
    { name: "resets amid statements", strike: resetOften, mend: nothing },
    {
      name: "a closed port",
      strike: () => does(proxy.cut)().then(() => pause(away)),
      mend: does(proxy.open),
    },
    {
      name: "connections ended by the server",
      strike: () =>
        Storage.query(
          direct,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND usename = current_user AND pid <> pg_backend_pid()`,
        ),
      mend: nothing,
    },
    {
      name: "silence",
      strike: () => does(proxy.silence)().then(() => pause(away)),
      mend: does(proxy.open),
    },
  ]
  return { storage: Storage.databaseStorage(Redacted.value(proxy.url)), faults }
}

/** Signals end the node's own database, and the node must restart it. */
const embeddedFaults = ({ size }: Setting, storage: Storage.Storage) => {
  const dataDir = storage.args.at(-1) ?? ""
  const first = () => Number.parseInt(readFileSync(join(dataDir, "cluster", "postmaster.pid"), "utf8"), 10)
  const ended = (signal: NodeJS.Signals) => async () => {
    const before = first()
    process.kill(before, signal)
    await until("the database runs again", () => {
      try {
        return first() !== before
      } catch {
        // The file does not exist while the server is down.
        return false
      }
    })
  }
  const stopped = async () => {
    const pid = first()
    process.kill(pid, "SIGSTOP")
    await pause(size === "short" ? 1_000 : 5_000)
    process.kill(pid, "SIGCONT")
  }
  const faults: ReadonlyArray<Fault> = [
    { name: "a killed server", strike: ended("SIGKILL"), mend: nothing },
    { name: "a server that was stopped in order", strike: ended("SIGINT"), mend: nothing },
    { name: "a server that stands still", strike: stopped, mend: nothing },
  ]
  return { storage, faults }
}

export const scenario: Scenario = { name: "database away", kinds: ["embedded", "postgres"], run }
