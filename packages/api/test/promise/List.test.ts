import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ForbiddenError, UnexpectedAnswerError } from "../../src/promise/index.js"
import { type FakeServer, json, problem, startFakeServer } from "../support/FakeServer.js"
import { groupList } from "../support/groupList.js"
import { group } from "../support/samples.js"
import { clientOf, failureOf } from "./clients.js"

describe("lists", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  const idsOf = async (groups: AsyncIterable<{ readonly id: number }>) => {
    const ids: Array<number> = []
    for await (const { id } of groups) ids.push(id)
    return ids
  }
  const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - index)
  const queries = () => server.asked.map(({ url }) => url.split("?")[1])

  it.each([
    [0, 1],
    [1, 1],
    [99, 1],
    [100, 1],
    [101, 2],
    [200, 2],
    [201, 3],
  ])("of %s are iterated in %s pages", async (count, requests) => {
    server.answers(groupList(count))
    expect(await idsOf(clientOf(server.url).errata.groups.list(1))).toEqual(downFrom(count))
    expect(server.asked.length).toBe(requests)
  })

  it("send their filter and page size with every page, and start at the cursor", async () => {
    server.answers(groupList(10))
    const list = clientOf(server.url).errata.groups.list(1, { query: "is:muted", limit: 3, cursor: 9 })
    expect(server.asked.length).toBe(0)
    expect(await idsOf(list)).toEqual(downFrom(8))
    expect(queries()).toEqual([
      "query=is%3Amuted&limit=3&cursor=9",
      "query=is%3Amuted&limit=3&cursor=6",
      "query=is%3Amuted&limit=3&cursor=3",
    ])
    expect(await idsOf(list)).toEqual(downFrom(8))
  })

  it("support catch and finally, as promises of their first page", async () => {
    server.answers(groupList(1))
    const { errata } = clientOf(server.url)
    let ended = 0
    const page = await errata.groups.list(1).finally(() => ended++)
    expect([page.groups.length, ended]).toEqual([1, 1])
    server.answers(problem(403))
    expect(await errata.groups.list(1).catch((error: unknown) => error)).toBeInstanceOf(ForbiddenError)
  })

  it("request no further page after a break", async () => {
    server.answers(groupList(1_000))
    let seen = 0
    for await (const _ of clientOf(server.url).errata.groups.list(1)) if (++seen === 100) break
    expect(server.asked.length).toBe(1)
  })

  it("have single pages", async () => {
    server.answers(groupList(5))
    const list = clientOf(server.url).errata.groups.list(1, { query: "x" })
    const first = await list.page({ limit: 3 })
    expect(first.groups.map(({ id }) => id)).toEqual([5, 4, 3])
    expect(first).toMatchObject({ next_cursor: 3, has_more: true })
    const last = await list.page({ limit: 3, cursor: first.next_cursor })
    expect(last.groups.map(({ id }) => id)).toEqual([2, 1])
    expect(last).toMatchObject({ next_cursor: null, has_more: false })
    await list.page()
    await list.page({ cursor: null })
    expect(queries()).toEqual(["query=x&limit=3", "query=x&limit=3&cursor=3", "query=x", "query=x"])
  })

  it("return their first page when awaited", async () => {
    server.answers(groupList(30))
    const page = await clientOf(server.url).errata.groups.list(1, { limit: 3 })
    expect(page.groups.map(({ id }) => id)).toEqual([30, 29, 28])
    expect(page).toMatchObject({ next_cursor: 28, has_more: true })
    expect(server.asked.length).toBe(1)
    server.answers(problem(403))
    const refused = Promise.resolve(clientOf(server.url).errata.groups.list(1))
    expect(await failureOf(refused)).toBeInstanceOf(ForbiddenError)
  })

  it("fail with the page that fails, after the ones before it", async () => {
    server.answers(json(200, { groups: [group(2)], next_cursor: 2, has_more: true }), problem(403))
    const seen: Array<number> = []
    const iterate = async () => {
      for await (const { id } of clientOf(server.url).errata.groups.list(1)) seen.push(id)
    }
    expect(await failureOf(iterate())).toBeInstanceOf(ForbiddenError)
    expect(seen).toEqual([2])
  })

  it("end with the signal of their call", async () => {
    server.answers(groupList(300))
    const controller = new AbortController()
    const seen: Array<number> = []
    const iterate = async () => {
      const list = clientOf(server.url).errata.groups.list(1, {}, { signal: controller.signal })
      for await (const { id } of list) {
        seen.push(id)
        if (seen.length === 100) controller.abort()
      }
    }
    expect(await failureOf(iterate())).toMatchObject({ name: "AbortError" })
    expect(seen.length).toBe(100)
    expect(server.asked.length).toBe(1)
  })

  it("end if the server repeats a page or returns no cursor", async () => {
    for (const page of [
      { groups: [group(2)], next_cursor: 2, has_more: true },
      { groups: [group(2)], next_cursor: null, has_more: true },
      { message: "another service" },
    ]) {
      server.answers(json(200, page))
      expect(await failureOf(idsOf(clientOf(server.url).errata.groups.list(1)))).toBeInstanceOf(
        UnexpectedAnswerError,
      )
      expect(server.asked.length).toBeLessThanOrEqual(2)
    }
  })
})
