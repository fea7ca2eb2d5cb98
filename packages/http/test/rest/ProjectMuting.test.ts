import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { request } from "node:http"
import type { Socket } from "node:net"
import { GroupStore } from "@errata/core/ports"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { adminKey, start, type TestInstance } from "../support/TestInstance.js"
import { until } from "../support/until.js"

describe("Muting a project", () => {
  const serverSockets: Array<Socket> = []
  const remember = (message: unknown) => serverSockets.push((message as { readonly socket: Socket }).socket)
  let errata: TestInstance
  let gate: Promise<void> = Promise.resolve()
  let waiting = 0

  beforeAll(async () => {
    subscribe("http.server.request.start", remember)
    errata = await start(
      {},
      changedStores((stores) => {
        const groups = Context.get(stores, GroupStore)
        return Context.add(stores, GroupStore, {
          ...groups,
          lockNext: (...args) =>
            Effect.andThen(
              Effect.promise(() => {
                waiting++
                return gate
              }),
              groups.lockNext(...args),
            ),
        })
      }),
    )
  })
  afterAll(async () => {
    unsubscribe("http.server.request.start", remember)
    await errata.stop()
  })

  it("mutes all of its groups, also when the caller has hung up meanwhile", async () => {
    const { group_id } = await errata.report({ message: "muted" })
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    serverSockets.length = 0
    const outgoing = request({
      host: "127.0.0.1",
      port: errata.port,
      method: "POST",
      path: `/api/service/v1/projects/${errata.mine.id}/mute`,
      headers: { authorization: `Bearer ${adminKey}` },
      agent: false,
    }).on("error", () => {})
    outgoing.end()
    await until(() => waiting > 0, "the first groups being locked")
    const hungUp = new Promise((resolve) => serverSockets[0]!.once("close", resolve))
    // With a reset: a client that closes only its side may still read the response.
    outgoing.socket!.resetAndDestroy()
    await hungUp
    // Lets the `close` listeners run.
    await new Promise(setImmediate)
    open()
    const path = `/projects/${errata.mine.id}`
    expect((await errata.api(path)).json.muted).toBe(true)
    const isMuted = async () => (await errata.api(`${path}/groups/${group_id}`)).json.muted
    await expect.poll(isMuted, { timeout: 30_000 }).toBe(true)
  })
})
