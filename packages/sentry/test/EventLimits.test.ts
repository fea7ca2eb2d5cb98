import { describe, expect, it } from "vitest"
import { expectLinear } from "../../core/test/support/linear.js"
import { normalizeEvent } from "../src/EventNormalizer.js"
import { detailsOf, eventId, limits, normalize, receivedAt, times } from "./support.js"

describe("EventNormalizer's limits", () => {
  const frames = (count: number) => ({ frames: times(count, (i) => ({ lineno: i })) })

  it("keeps the ends of exceptions and frames", () => {
    const kept = detailsOf({ exception: times(72, (i) => ({ type: `E${i}`, stacktrace: frames(1) })) })
    expect(kept.exceptions.map((exception) => exception.type)).toEqual([
      ...times(16, (i) => `E${i}`),
      ...times(16, (i) => `E${56 + i}`),
    ])
    expect(kept.ingest_truncations).toEqual(["exceptions: 32 of 72 kept"])
    const stack = detailsOf({ exception: { stacktrace: frames(500) } })
    expect(stack.exceptions[0]!.frames.map((frame) => frame.lineno)).toEqual([
      ...times(100, (i) => i),
      ...times(100, (i) => 400 + i),
    ])
    expect(stack.ingest_truncations).toEqual(["frames: 200 of 500 kept"])
  })

  it("divides the frame limit of an event among its stacks", () => {
    const lengths = (list: ReadonlyArray<{ readonly frames: ReadonlyArray<unknown> }>) =>
      list.map((stack) => stack.frames.length)
    const many = detailsOf({
      exception: [...times(10, () => ({ stacktrace: frames(150) })), { stacktrace: frames(10) }],
    })
    expect(lengths(many.exceptions)).toEqual([...times(10, () => 99), 10])
    const mixed = detailsOf({
      exception: times(4, () => ({ stacktrace: frames(200) })),
      threads: times(5, () => ({ stacktrace: frames(100) })),
    })
    expect(lengths(mixed.exceptions)).toEqual(times(4, () => 200))
    expect(lengths(mixed.threads)).toEqual(times(5, () => 40))
  })

  it("keeps the crashed and the current thread", () => {
    const threads = times(100, (id) => ({
      id,
      ...(id === 90 ? { crashed: true } : id === 80 ? { current: true } : {}),
    }))
    const kept = detailsOf({ threads })
    expect(kept.threads.slice(0, 3).map((thread) => thread.id)).toEqual(["90", "80", "0"])
    expect(kept.ingest_truncations).toEqual(["threads: 64 of 100 kept"])
  })

  it("keeps the latest breadcrumbs and the first of the rest", () => {
    const dictionary = (count: number) => Object.fromEntries(times(count, (i) => [`k${i}`, { n: `${i}` }]))
    const event = normalize({
      breadcrumbs: times(150, (i) => ({ message: `${i}` })),
      tags: times(101, (i) => [`t${i}`, i]),
      contexts: dictionary(51),
      extra: dictionary(101),
      modules: dictionary(501),
      debug_meta: { images: times(501, (i) => ({ i })) },
    })
    expect(event.details.breadcrumbs[0]!.message).toBe("50")
    expect(event.tags.at(-1)).toEqual({ key: "t99", value: "99" })
    expect(event.details.ingest_truncations.toSorted()).toEqual([
      "breadcrumbs: 100 of 150 kept",
      "contexts: 50 of 51 kept",
      "debug_images: 500 of 501 kept",
      "dependencies: 500 of 501 kept",
      "extras: 100 of 101 kept",
      "tags: 100 of 101 kept",
    ])
  })

  it("cuts text by bytes and between characters", () => {
    const { transaction, ingest_truncations } = detailsOf({ transaction: `x${"é".repeat(5000)}` })
    expect(transaction).toBe(`x${"é".repeat(4095)}`)
    expect(ingest_truncations).toEqual(["transaction: cut to 8192 bytes"])
    expect(detailsOf({ transaction: "\ud83d\ude00".repeat(3000) }).transaction).toBe(
      "\ud83d\ude00".repeat(2048),
    )
    expect(detailsOf({ transaction: "é".repeat(4096) }).ingest_truncations).toEqual([])
    expect(normalize({ tags: { ["k".repeat(300)]: "v".repeat(3000) } }).tags).toEqual([
      { key: "k".repeat(200), value: "v".repeat(2048) },
    ])
    const extra = { a: { ["é".repeat(600)]: "x".repeat(70_000) } }
    expect(detailsOf({ extra }).extras[0]!.value).toEqual({ ["é".repeat(512)]: "x".repeat(65_536) })
  })

  it("replaces values that are nested too deep, and records the truncation", () => {
    let deep: unknown = "bottom"
    for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { deep }
    const event = normalize({
      extra: { deep },
      contexts: { deep: { deep } },
      request: { data: deep },
      tags: { deep },
    })
    expect(JSON.stringify(event)).not.toContain("bottom")
    expect(event.details.ingest_truncations).toContain("extras: nested deeper than 64")
    expect(event.details.ingest_truncations).toContain("contexts: nested deeper than 64")
  })

  it("keeps NULs and lone surrogates out, also out of keys", () => {
    const dirty = "a\0b\ud800c\udc00\ud83d\ude00"
    const clean = "ab\ufffdc\ufffd\ud83d\ude00"
    const event = normalize({
      message: dirty,
      tags: { [dirty]: dirty },
      extra: { [dirty]: { [dirty]: [dirty] } },
      contexts: { [dirty]: { [dirty]: dirty } },
      user: { id: dirty, [dirty]: dirty },
      request: {
        headers: { [dirty]: dirty },
        query_string: { [dirty]: dirty },
        cookies: `${dirty}=${dirty}`,
      },
      fingerprint: [dirty],
      modules: { [dirty]: dirty },
    })
    expect(event.tags).toEqual([
      { key: clean, value: clean },
      { key: "user.id", value: clean },
    ])
    expect(event.details.extras).toEqual([{ key: clean, value: { [clean]: [clean] } }])
    expect(event.details.custom_fingerprint).toEqual([clean])
  })

  it("handles keys like __proto__ as data", () => {
    const dictionary = JSON.parse(
      '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"a":1}',
    )
    const event = normalize({
      ...dictionary,
      tags: dictionary,
      extra: { dictionary },
      contexts: { dictionary },
      user: dictionary,
      request: { headers: dictionary, data: dictionary, cookies: dictionary, env: dictionary },
      exception: {
        type: "E",
        mechanism: { data: dictionary },
        stacktrace: { frames: [{ vars: dictionary }] },
      },
    })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(event.details.extras[0]!.value).toEqual({
      constructor: { prototype: { polluted: "yes" } },
      a: 1,
    })
    expect(JSON.stringify(event.details)).not.toContain("__proto__")
  })

  it("reads tens of thousands of all parts in linear time", () => {
    const documentOf = (size: number) => {
      const entries = Object.fromEntries(times(size, (i) => [`k${i}`, i]))
      const list = times(size, (i) => ({
        id: i,
        type: "t",
        message: "m",
        crashed: true,
        stacktrace: { frames: [{}] },
      }))
      return {
        tags: entries,
        extra: entries,
        contexts: entries,
        modules: entries,
        user: entries,
        request: { headers: entries, cookies: entries, query_string: entries, data: entries },
        exception: list,
        threads: list,
        breadcrumbs: list,
        debug_meta: { images: list },
        fingerprint: list,
      }
    }
    const size = 40_000
    const quarter = documentOf(size / 4)
    const whole = documentOf(size)
    const normalized = (document: Record<string, unknown>) =>
      normalizeEvent(document, { limits, eventId, receivedAt })
    expectLinear(size, (part) => normalized(part === size ? whole : quarter))
    const event = normalized(whole)
    expect(event.tags).toHaveLength(limits.maxTags)
    expect(event.details.threads).toHaveLength(limits.maxThreads)
  })
})
