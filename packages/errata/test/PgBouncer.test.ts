/** An instance behind PgBouncer, where that is installed. It pools transactions, the mode that forbids most. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest"
import { postgres } from "../src/postgres.js"
import { failureOf, instances } from "./support/Instances.js"

const program = "/usr/sbin/pgbouncer"

describe.skipIf(!existsSync(program))("an instance behind PgBouncer", () => {
  const make = instances()
  const scope = Effect.runSync(Scope.make())
  const ended: Array<() => Promise<unknown>> = []
  let url = ""
  beforeAll(async () => {
    const made = TestDatabase.make(Redacted.make(inject("databaseServer")))
    const database = new URL(Redacted.value(await Effect.runPromise(Scope.provide(made, scope))))
    const folder = await mkdtemp(join(tmpdir(), "errata-pgbouncer-"))
    const port = await freePort()
    const settings = join(folder, "pgbouncer.ini")
    await chmod(folder, 0o755)
    await writeFile(settings, settingsFor(database, port))
    // It refuses to run as root, and the folder of the socket is private.
    const { gid, uid } = statSync(hostOf(database), { throwIfNoEntry: false }) ?? { gid: 65_534, uid: 65_534 }
    const account = process.getuid?.() === 0 && uid !== 0 ? { gid, uid } : {}
    const pooler = spawn(program, [settings], { ...account, stdio: "ignore" })
    ended.push(async () => {
      if (pooler.exitCode === null && pooler.kill("SIGKILL")) await once(pooler, "exit")
      await rm(folder, { recursive: true })
    })
    await vi.waitFor(async () => expect(await accepts(port)).toBe(true), { timeout: 20_000 })
    url = `postgres://${database.username}@127.0.0.1:${port}/pooled`
  })
  afterAll(async () => {
    for (const end of ended) await end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("works with the option pooler, and says so without it", async () => {
    expect(await failureOf(make({ storage: postgres({ url }) }))).toMatchObject({
      message: expect.stringContaining("pass pooler: true"),
    })
    const errata = await make({ storage: postgres({ url, pooler: true }) })
    await errata.capture(new Error("through a pooler"))
    await errata.flush({ timeout: 30_000 })
    expect((await errata.groups.list(errata.project.id)).groups).toMatchObject([
      { error_message: "through a pooler" },
    ])
  })

  it("keeps to its schema, on connections that others use for theirs", async () => {
    const heard: Array<string> = []
    const start = async (schema: string) => {
      const errata = await make({ storage: postgres({ url, pooler: true, maxConnections: 4, schema }) })
      const hear = (queue?: string) =>
        errata.on("group.created", ({ group }) => void heard.push(`${schema}: ${group.error_message}`), {
          queue,
        })
      hear()
      hear("mail")
      return errata
    }
    const [shop, blog] = [await start("shop"), await start("blog")]
    for (let i = 0; i < 5; i++) {
      await Promise.all([
        shop.capture(new Error(`s${i}`), { fingerprint: [`${i}`] }),
        blog.capture(new Error(`b${i}`), { fingerprint: [`${i}`] }),
      ])
    }
    await Promise.all([shop.flush({ timeout: 30_000 }), blog.flush({ timeout: 30_000 })])
    const expected = Array.from({ length: 5 }, (_, i) => [`shop: s${i}`, `blog: b${i}`]).flat()
    await expect.poll(() => [...heard].sort(), { timeout: 30_000 }).toEqual([...expected, ...expected].sort())
  })
})

// internal

const settingsFor = (to: URL, port: number): string => `
[databases]
pooled = host=${hostOf(to)} port=${to.searchParams.get("port") ?? (to.port || 5432)} dbname=${to.pathname.slice(1)} user=${to.username}${to.password === "" ? "" : ` password=${to.password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
`

/** A folder if the server has a socket. */
const hostOf = (url: URL): string => url.searchParams.get("host") ?? url.hostname

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })
