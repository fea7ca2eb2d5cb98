import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import * as BodyMemory from "../src/BodyMemory.js"
import * as NodeBody from "../src/NodeBody.js"
import type { BodyReader } from "../src/RequestBody.js"
import * as WebBody from "../src/WebBody.js"

interface Given {
  readonly chunks: ReadonlyArray<string | Buffer>
  readonly length?: number
  /** True if the sender stops without ending the body. */
  readonly stalls?: boolean
}

const node = ({ chunks, length, stalls = false }: Given, max: number, memory: BodyMemory.BodyMemory) => {
  const request = new IncomingMessage(new Socket())
  if (length !== undefined) request.headers["content-length"] = String(length)
  for (const chunk of chunks) request.push(chunk)
  if (!stalls) request.push(null)
  return NodeBody.make(request, max, memory)
}

const web = ({ chunks, length, stalls = false }: Given, max: number, memory: BodyMemory.BodyMemory) =>
  WebBody.make(
    new Request("http://localhost", {
      method: "POST",
      headers: length === undefined ? {} : { "content-length": String(length) },
      body: new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
          if (!stalls) controller.close()
        },
      }),
      duplex: "half",
    } as RequestInit),
    max,
    memory,
  )

const MiB = 1024 * 1024

describe.each([
  ["Node", node],
  ["fetch", web],
] as const)("RequestBody (%s)", (_, make) => {
  const outcome = (body: BodyReader) =>
    Effect.runPromise(
      Effect.match(body.read, { onFailure: ({ reason }) => reason, onSuccess: (bytes) => bytes.toString() }),
    )
  const known = (given: Given, max: number, memory = BodyMemory.make(max), sender = 1) => {
    const body = make(given, max, memory)
    body.identify(sender)
    return body
  }
  const used = ({ large, small, strangers }: BodyMemory.BodyMemory) => [
    strangers.used,
    small.used,
    large.used,
  ]

  it("reads a body up to its limit", async () => {
    expect(await outcome(known({ chunks: [] }, 5))).toBe("")
    expect(await outcome(known({ chunks: ["hello"] }, 5))).toBe("hello")
    expect(await outcome(known({ chunks: ["he", "l", "lo"] }, 5))).toBe("hello")
    expect(await outcome(known({ chunks: ["he", "l", "lo", "!"] }, 5))).toBe("too_large")
    expect(await outcome(known({ chunks: ["hello"], length: 6 }, 5))).toBe("too_large")
  })

  it("reads only a prefix from an unknown sender, and the rest when the sender is known", async () => {
    const memory = BodyMemory.make(MiB)
    const body = make({ chunks: ["hel", "lo", " world"] }, MiB, memory)
    const start = await Effect.runPromise(body.prefix(4))
    expect([start.bytes.toString().startsWith("hell"), start.isAll]).toEqual([true, false])
    // The first bytes of an unauthenticated sender are not counted.
    expect(used(memory)).toEqual([0, 0, 0])
    body.identify(1)
    expect(used(memory)).toEqual([0, start.bytes.length, 0])
    expect(await outcome(body)).toBe("hello world")
    expect(used(memory)).toEqual([0, 11, 0])
    body.release()
    body.release()
    expect(used(memory)).toEqual([0, 0, 0])
  })

  it("counts bytes of an unknown sender beyond the first 80 KiB", async () => {
    const memory = BodyMemory.make(MiB)
    const chunks = Array.from({ length: 4 }, () => Buffer.alloc(50 * 1024, 97))
    const body = make({ chunks, stalls: true }, MiB, memory)
    const { bytes } = await Effect.runPromise(body.prefix(150 * 1024))
    expect(used(memory)).toEqual([bytes.length - 80 * 1024, 0, 0])
    body.identify(1)
    expect(used(memory)).toEqual([0, bytes.length, 0])
    body.release()
    expect(used(memory)).toEqual([0, 0, 0])
  })

  it("reports that the prefix is the whole body", async () => {
    const body = make({ chunks: ["{}"] }, MiB, BodyMemory.make(MiB))
    const prefix = await Effect.runPromise(body.prefix(100))
    expect([prefix.bytes.toString(), prefix.isAll]).toEqual(["{}", true])
  })

  it("counts large and small bodies separately, with or without a length", async () => {
    const memory = BodyMemory.make(16 * MiB)
    const large = Array.from({ length: 8 }, () => Buffer.alloc(64 * 1024, 97))
    const announced = known({ chunks: large, length: 512 * 1024 }, 16 * MiB, memory)
    const streamed = known({ chunks: large }, 16 * MiB, memory)
    const small = known({ chunks: ["hello"] }, 16 * MiB, memory)
    expect((await Promise.all([announced, streamed].map(outcome))).map((text) => text.length)).toEqual([
      512 * 1024,
      512 * 1024,
    ])
    expect(await outcome(small)).toBe("hello")
    expect(used(memory)).toEqual([0, 5, MiB])
    for (const body of [announced, streamed, small]) body.release()
    expect(used(memory)).toEqual([0, 0, 0])
  })

  it("waits for memory, and continues when it is free", async () => {
    const memory = BodyMemory.make(16 * MiB)
    const chunks = Array.from({ length: 12 }, () => Buffer.alloc(MiB, 97))
    const first = known({ chunks, length: 12 * MiB }, 16 * MiB, memory)
    expect((await outcome(first)).length).toBe(12 * MiB)
    let isRead = false
    const second = known({ chunks, length: 12 * MiB }, 16 * MiB, memory)
    const reading = outcome(second).then((text) => {
      isRead = true
      return text
    })
    // The sender with the most memory does not block another one.
    const other = known({ chunks: chunks.slice(0, 4), length: 4 * MiB }, 16 * MiB, memory, 2)
    expect((await outcome(other)).length).toBe(4 * MiB)
    expect(isRead).toBe(false)
    first.release()
    expect((await reading).length).toBe(12 * MiB)
  })

  it("fails as busy after a long wait", async () => {
    const memory = BodyMemory.make(16 * MiB)
    const chunks = Array.from({ length: 16 }, () => Buffer.alloc(MiB, 97))
    await outcome(known({ chunks, length: 16 * MiB }, 16 * MiB, memory))
    const late = outcome(known({ chunks, length: 16 * MiB }, 16 * MiB, memory))
    await new Promise(setImmediate)
    for (let i = 0; i < 16; i++) memory.tick()
    expect(await late).toBe("busy")
  })

  it("ends stalled bodies, of known and unknown senders", async () => {
    const memory = BodyMemory.make(16 * MiB)
    const sender = outcome(known({ chunks: ["he"], stalls: true }, MiB, memory))
    const stranger = Effect.runPromise(
      Effect.flip(make({ chunks: ["he"], stalls: true }, MiB, memory).prefix(5)),
    )
    await new Promise(setImmediate)
    for (let i = 0; i < 10; i++) memory.tick()
    expect([await sender, (await stranger).reason]).toEqual(["slow", "slow"])
    expect(used(memory)).toEqual([0, 0, 0])
  })
})

describe("RequestBody", () => {
  const reading = (request: IncomingMessage) => {
    const body = NodeBody.make(request, 5, BodyMemory.make(5))
    body.identify(1)
    return Effect.runPromise(Effect.flip(body.read))
  }

  it("does not wait for a client that is already gone", async () => {
    const request = new IncomingMessage(new Socket())
    request.destroy()
    expect((await reading(request)).reason).toBe("aborted")
  })

  it("ends when the sender disconnects", async () => {
    const request = new IncomingMessage(new Socket())
    request.push("he")
    const outcome = reading(request)
    request.destroy()
    expect((await outcome).reason).toBe("aborted")
  })

  it("notifies listeners when the body is read", async () => {
    const request = new IncomingMessage(new Socket())
    request.headers.expect = "100-continue"
    request.push(null)
    let told = 0
    NodeBody.whenWanted(request, () => told++)
    const body = NodeBody.make(request, 5, BodyMemory.make(5))
    expect(told).toBe(0)
    body.identify(1)
    await Effect.runPromise(body.read)
    expect(told).toBe(1)
  })
})

describe("The budget of an unknown sender", () => {
  const bodies = {
    node: (forwarded: string, memory: BodyMemory.BodyMemory, proxies: number) => {
      const request = new IncomingMessage(new Socket())
      request.headers["x-forwarded-for"] = forwarded
      return NodeBody.make(request, 5, memory, proxies)
    },
    web: (forwarded: string, memory: BodyMemory.BodyMemory, proxies: number) => {
      const headers = { "x-forwarded-for": forwarded }
      const request = new Request("http://localhost", { method: "POST", headers, body: "a" })
      return WebBody.make(request, 5, memory, proxies)
    },
  }

  it.each(Object.entries(bodies))("is that of the address that a trusted proxy forwards: %s", (_, make) => {
    const senderOf = (forwarded: string, proxies: number) => {
      const memory = BodyMemory.make(5)
      const opened = vi.spyOn(memory.strangers, "open")
      Effect.runFork(make(forwarded, memory, proxies).read)
      return opened.mock.calls[0]![0]
    }
    expect(senderOf("192.0.2.1", 0)).toBe("")
    expect(senderOf("198.51.100.1, 192.0.2.1:4711", 1)).toBe("192.0.2.1")
    expect(senderOf("198.51.100.1, 192.0.2.1", 2)).toBe("198.51.100.1")
    expect(senderOf("192.0.2.1", 2)).toBe("")
  })
})
