import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as RequestBody from "../src/RequestBody.js"

const incoming = (chunks: ReadonlyArray<string>): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  for (const chunk of chunks) request.push(chunk)
  request.push(null)
  return request
}

const web = (chunks: ReadonlyArray<string>): Request =>
  new Request("http://localhost", {
    method: "POST",
    body: new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
        controller.close()
      },
    }),
    duplex: "half",
  } as RequestInit)

describe.each([
  [
    "Node",
    (chunks: ReadonlyArray<string>, max: number, budget: RequestBody.BodyBudget) =>
      RequestBody.fromNode(incoming(chunks), max, budget),
  ],
  [
    "fetch",
    (chunks: ReadonlyArray<string>, max: number, budget: RequestBody.BodyBudget) =>
      RequestBody.fromWeb(web(chunks), max, budget),
  ],
] as const)("RequestBody (%s)", (_, make) => {
  const outcome = (body: RequestBody.RequestBody) =>
    Effect.runPromise(
      Effect.match(body.read, { onFailure: ({ reason }) => reason, onSuccess: (bytes) => bytes.toString() }),
    )

  it("reads a body up to its limit", async () => {
    expect(await outcome(make([], 5, RequestBody.unlimitedBudget()))).toBe("")
    expect(await outcome(make(["hello"], 5, RequestBody.unlimitedBudget()))).toBe("hello")
    expect(await outcome(make(["he", "l", "lo"], 5, RequestBody.unlimitedBudget()))).toBe("hello")
    expect(await outcome(make(["he", "l", "lo", "!"], 5, RequestBody.unlimitedBudget()))).toBe("too_large")
  })

  it("takes of the budget what it holds, until it is released", async () => {
    const budget = { used: 0, max: 8 }
    const first = make(["hel", "lo"], 5, budget)
    expect(await outcome(first)).toBe("hello")
    expect(budget.used).toBe(5)
    const second = make(["hello"], 5, budget)
    expect(await outcome(second)).toBe("busy")
    expect(budget.used).toBe(5)
    second.release()
    first.release()
    first.release()
    expect(budget.used).toBe(0)
    const third = make(["too ", "large"], 5, budget)
    expect(await outcome(third)).toBe("too_large")
    expect(budget.used).toBe(0)
  })
})

describe("RequestBody", () => {
  it("waits for nobody who has left already", async () => {
    const request = new IncomingMessage(new Socket())
    request.destroy()
    const { read } = RequestBody.fromNode(request, 5, RequestBody.unlimitedBudget())
    expect((await Effect.runPromise(Effect.flip(read))).reason).toBe("aborted")
  })

  it("ends with the sender", async () => {
    const request = new IncomingMessage(new Socket())
    request.push("he")
    const { read } = RequestBody.fromNode(request, 5, RequestBody.unlimitedBudget())
    const outcome = Effect.runPromise(Effect.flip(read))
    request.destroy()
    expect((await outcome).reason).toBe("aborted")
  })
})
