import { expect, it } from "vitest"
import type { AttemptResult } from "../../src/delivery/DeliveryStore.js"
import { Receivers } from "../../src/delivery/Receivers.js"
import { TargetId } from "../../src/delivery/Target.js"

const answered: AttemptResult = {
  status: "succeeded",
  responseStatus: 204,
  error: null,
  durationMs: 5,
  pause: null,
}
const timedOut: AttemptResult = { ...answered, status: "pending", responseStatus: null, durationMs: 10_000 }

const concurrency = 200
const secondsOfTimeout = 10

/** A node that looks once a second, and webhooks with a queue each. Every fourth hangs. */
const simulate = (webhooks: number, each: number) => {
  const receivers = new Receivers(concurrency, 20)
  const waiting = Array.from({ length: webhooks }, (_, i) => ({ id: TargetId.make(i + 1), count: each }))
  const hangs = (id: number) => id % 4 === 0
  let ends: Array<{ readonly id: TargetId; readonly at: number }> = []
  let most = 0
  const second = (now: number) => {
    for (const share of receivers.shares()) {
      const limits = new Map(share.exceptions.map(({ limit, targetId }) => [targetId, limit]))
      let left = receivers.left(share)
      for (const webhook of waiting) {
        const limit = Math.min(left, webhook.count, limits.get(webhook.id) ?? share.perTarget)
        for (let i = 0; i < limit; i++) {
          receivers.begin(webhook.id)
          webhook.count--
          left--
          ends.push({ id: webhook.id, at: hangs(webhook.id) ? now + secondsOfTimeout : now })
        }
      }
    }
    most = Math.max(most, ends.length)
    const over = ends.filter(({ at }) => at <= now)
    ends = ends.filter(({ at }) => at > now)
    for (const { id } of over) receivers.end(id, hangs(id) ? timedOut : answered)
  }
  const left = (isHanging: boolean) =>
    waiting.filter(({ id }) => hangs(id) === isHanging).reduce((sum, { count }) => sum + count, 0)
  return { second, left, underWay: () => ends.length, most: () => most }
}

it("healthy receivers get all deliveries while a quarter of a thousand receivers hangs", () => {
  const node = simulate(1000, 14)
  let second = 0
  while (node.left(false) > 0 && second < 200) node.second(second++)
  // Each hanging receiver takes its slots once before it is known, for the ten seconds of a timeout.
  expect(second).toBeLessThan(100)
  expect(node.most()).toBeLessThanOrEqual(concurrency)
})

it("receivers that are known to hang share an eighth of the slots in turn", () => {
  const node = simulate(1000, 14)
  for (let second = 0; second < 200; second++) node.second(second)
  expect(node.underWay()).toBeGreaterThan(0)
  expect(node.underWay()).toBeLessThanOrEqual(concurrency / 8)
  const before = node.left(true)
  for (let second = 200; second < 300; second++) node.second(second)
  // 25 slots, ten seconds each.
  expect(before - node.left(true)).toBeGreaterThan(200)
})

it("a receiver that answers again soon has its full share", () => {
  const receivers = new Receivers(concurrency, 20)
  const id = TargetId.make(1)
  const limit = () =>
    Math.max(
      ...receivers
        .shares()
        .map(({ exceptions }) => exceptions.find((one) => one.targetId === id)?.limit ?? 0),
    )
  receivers.begin(id)
  receivers.end(id, timedOut)
  expect(limit()).toBe(1)
  for (let i = 0; i < 30; i++) {
    receivers.begin(id)
    receivers.end(id, answered)
  }
  expect(limit()).toBe(20)
})
