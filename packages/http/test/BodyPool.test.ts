import { describe, expect, it } from "vitest"
import type { BodyAccount, Sender } from "../src/BodyAccount.js"
import { BodyPool } from "../src/BodyPool.js"

const KiB = 1024

/** A pool of 10 KiB for bodies of up to 4 KiB, with 6 KiB per sender. */
const makePool = () => {
  const pool = new BodyPool({ size: 10 * KiB, perSender: 6 * KiB, maxClaim: 4 * KiB })
  const events: Array<string> = []
  const open = (name: string, sender: Sender, claim = 4 * KiB): BodyAccount => {
    const account = pool.open(sender, claim, {
      granted: () => events.push(`${name} granted`),
      refused: (reason) => {
        events.push(`${name} ${reason}`)
        account.close()
      },
    })
    account.isReading = true
    return account
  }
  const ticks = (count: number) => {
    for (let i = 0; i < count; i++) pool.tick()
  }
  return { pool, events, open, ticks }
}

describe("BodyPool", () => {
  it("grants memory until it is used up, and reclaims it", () => {
    const { events, open, pool } = makePool()
    const bodies = ["a", "b", "c"].map((name, i) => open(name, i))
    expect(bodies.map((body) => body.grow(3 * KiB))).toEqual([true, true, true])
    const late = open("late", 4)
    expect(late.grow(3 * KiB)).toBe(false)
    expect(pool.used).toBe(9 * KiB)
    bodies[0]!.close()
    expect(events).toEqual(["late granted"])
    for (const body of [bodies[1]!, bodies[2]!, late]) body.close()
    expect(pool.used).toBe(0)
  })

  it("reserves memory so that bodies in progress can end one after the other", () => {
    const { events, open } = makePool()
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name, i) => open(name, i))
    for (const body of [a, b, c, d]) expect(body!.grow(2 * KiB)).toBe(true)
    // There is room for more, but then none of the other bodies could grow to 4 KiB.
    expect(e!.grow(1)).toBe(false)
    expect([a!.grow(2 * KiB), b!.grow(2 * KiB)]).toEqual([true, false])
    a!.close()
    expect(events).toEqual(["e granted", "b granted"])
  })

  it("reserves a share for other senders", () => {
    const { events, open } = makePool()
    const [first, second, third] = ["first", "second", "third"].map((name) => open(name, "greedy"))
    expect(first!.grow(3 * KiB)).toBe(true)
    expect(second!.grow(2 * KiB + 1)).toBe(false)
    expect(third!.grow(1)).toBe(false)
    expect(open("other", "modest").grow(4 * KiB)).toBe(true)
    first!.settle()
    first!.close()
    expect(events).toEqual(["second granted", "third granted"])
  })

  it("serves the body first whose sender holds the least memory", () => {
    const { events, open } = makePool()
    const held = open("held", "greedy")
    held.grow(4 * KiB)
    const full = open("full", "third")
    full.grow(4 * KiB)
    open("greedy", "greedy").grow(2 * KiB)
    open("modest", "modest", 2 * KiB + 1).grow(2 * KiB + 1)
    expect(events).toEqual([])
    full.close()
    expect(events[0]).toBe("modest granted")
  })

  it("limits the waiting bodies of one sender, but not those of others", () => {
    const { events, open } = makePool()
    const first = open("first", "greedy")
    first.grow(4 * KiB)
    for (let i = 0; i < 2 * KiB; i++) expect(open(`${i}`, "greedy").grow(4 * KiB)).toBe(false)
    expect(events).toEqual([])
    expect(open("one too many", "greedy").grow(4 * KiB)).toBe(false)
    expect(events).toEqual(["one too many busy"])
    expect(open("other", "modest").grow(1 * KiB)).toBe(true)
  })

  it("rejects a body that has waited for 15 ticks", () => {
    const { events, open, ticks } = makePool()
    for (const sender of [1, 2, 3]) {
      const body = open(`${sender}`, sender)
      body.grow(3 * KiB)
      body.settle()
    }
    open("late", 4).grow(3 * KiB)
    ticks(15)
    expect(events).toEqual([])
    ticks(1)
    expect(events).toEqual(["late busy"])
  })

  it("ends bodies that send less than 10 KiB in 10 ticks, unless nothing reads them", () => {
    const { events, open, pool, ticks } = makePool()
    const slow = open("slow", 1)
    slow.grow(100)
    const unread = open("unread", 2)
    unread.grow(100)
    unread.isReading = false
    ticks(9)
    expect(events).toEqual([])
    ticks(1)
    expect(events).toEqual(["slow slow"])
    expect(pool.used).toBe(100)
  })

  it("ends only a slow body of the largest sender under pressure", () => {
    const { events, open, ticks } = makePool()
    const small = open("small", "modest")
    small.grow(1 * KiB)
    const large = open("large", "greedy")
    large.grow(4 * KiB - 1)
    open("third", "third").grow(3 * KiB)
    ticks(5)
    expect(events).toEqual([])
    open("late", "late").grow(3 * KiB)
    ticks(1)
    expect(events).toEqual(["large slow", "late granted"])
    ticks(1)
    expect(events).toHaveLength(2)
  })

  it("does not count free first bytes, but ends slow bodies", () => {
    const pool = new BodyPool({ size: 1 * KiB, perSender: 1 * KiB, maxClaim: 1 * KiB, free: 2 * KiB })
    const events: Array<string> = []
    const open = (name: string) => {
      const account = pool.open("address", Number.POSITIVE_INFINITY, {
        granted: () => events.push(`${name} granted`),
        refused: (reason) => {
          events.push(`${name} ${reason}`)
          account.close()
        },
      })
      account.isReading = true
      return account
    }
    const [first, second, small] = ["first", "second", "small"].map(open)
    expect(first!.grow(3 * KiB)).toBe(true)
    expect(second!.grow(2 * KiB + 1)).toBe(false)
    expect(small!.grow(2 * KiB)).toBe(true)
    expect(pool.used).toBe(1 * KiB)
    first!.close()
    expect(events).toEqual(["second granted"])
    for (let i = 0; i < 10; i++) pool.tick()
    expect(events.slice(1).sort()).toEqual(["second slow", "small slow"])
    expect(pool.used).toBe(0)
  })

  it("holds nothing after any sequence of bodies, and never more than its size", () => {
    const { events, open, pool } = makePool()
    const bodies: Array<{ readonly account: BodyAccount; size: number }> = []
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % below
    }
    for (let step = 0; step < 5000; step++) {
      if (random(3) === 0 || bodies.length === 0) {
        bodies.push({ account: open(`${step}`, random(5), 1 + random(4 * KiB)), size: 0 })
        continue
      }
      const at = random(bodies.length)
      const { account } = bodies[at]!
      const left = account.claim - account.held - account.wanted
      if (account.wanted === 0 && left > 0) account.grow(1 + random(left))
      else if (account.wanted === 0) {
        account.settle()
        account.close()
        bodies.splice(at, 1)
      }
      expect(pool.used).toBeLessThanOrEqual(10 * KiB)
    }
    // Finishes every body that can finish: none waits forever.
    for (let progress = true; progress; ) {
      progress = false
      for (const [at, { account }] of bodies.entries()) {
        const left = account.claim - account.held
        if (account.wanted > 0 || (left > 0 && !account.grow(left))) continue
        account.close()
        bodies.splice(at, 1)
        progress = true
        break
      }
    }
    expect(bodies).toHaveLength(0)
    expect(pool.used).toBe(0)
    expect(events.every((event) => event.endsWith("granted"))).toBe(true)
  })
})
