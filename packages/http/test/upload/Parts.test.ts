/** The parts of a multipart body, however it comes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as Parts from "../../src/upload/Parts.js"

const bounds = { maxParts: 4, maxPartBytes: 10_000, maxBytes: 20_000 }

interface Found {
  readonly name: string
  readonly filename: string | null
  readonly text: string
}

/** Reads a body that arrives in these pieces. */
const read = (
  pieces: ReadonlyArray<Uint8Array>,
  contentType = "multipart/form-data; boundary=edge",
  found: Array<Found> = [],
) =>
  Effect.gen(function* () {
    const left = [...pieces]
    yield* Parts.read(
      { contentType, pieces: { next: Effect.sync(() => left.shift() ?? null), discard: () => {} } },
      bounds,
      ({ content, filename, name }) =>
        Effect.sync(() => void found.push({ name, filename, text: Buffer.from(content).toString() })),
    )
    return found
  })

const body = (...parts: ReadonlyArray<readonly [disposition: string, content: string]>) =>
  Buffer.from(
    `${parts
      .map(
        ([disposition, content]) =>
          `--edge\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`,
      )
      .join("")}--edge--\r\n`,
  )

describe("a multipart body", () => {
  it.effect("has the same parts for any split into packets", () =>
    Effect.gen(function* () {
      const whole = body(
        ['form-data; name="header"', "Sourcemap:a.js.map"],
        ['form-data; name="file"; filename="a.js"', "f()\r\n--edg\r\n-\r\n"],
        ['form-data; name="file"; filename="empty"', ""],
      )
      const expected = [
        { name: "header", filename: null, text: "Sourcemap:a.js.map" },
        { name: "file", filename: "a.js", text: "f()\r\n--edg\r\n-\r\n" },
        { name: "file", filename: "empty", text: "" },
      ]
      expect(yield* read([whole])).toEqual(expected)
      const wrong: Array<string> = []
      for (let cut = 1; cut < whole.byteLength; cut++) {
        const answer = yield* Effect.exit(read([whole.subarray(0, cut), whole.subarray(cut)]))
        if (answer._tag === "Failure" || JSON.stringify(answer.value) !== JSON.stringify(expected)) {
          wrong.push(JSON.stringify(whole.subarray(Math.max(0, cut - 10), cut).toString()))
        }
      }
      expect(wrong).toEqual([])
      expect(yield* read(Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(expected)
    }),
  )

  it.effect("keeps file names outside Latin-1 and ignores text after the last part", () =>
    Effect.gen(function* () {
      const whole = Buffer.concat([
        body(['form-data; name="file"; filename="日本.js"', "f()"]),
        Buffer.from("\r\nend"),
      ])
      for (let cut = 1; cut < whole.byteLength; cut++) {
        expect(yield* read([whole.subarray(0, cut), whole.subarray(cut)])).toEqual([
          { name: "file", filename: "日本.js", text: "f()" },
        ])
      }
    }),
  )

  it.effect("that ends early or exceeds a limit fails without a part that is cut off", () =>
    Effect.gen(function* () {
      const file = 'form-data; name="file"; filename="a.js"'
      const whole = body([file, "first"], [file, "second"])
      const failed = (reason: string) => Exit.succeed(new Parts.BadParts({ reason }))
      for (let cut = 1; cut < whole.byteLength - "--\r\n".length; cut++) {
        const found: Array<Found> = []
        const answer = yield* Effect.exit(Effect.flip(read([whole.subarray(0, cut)], undefined, found)))
        expect(answer).toEqual(failed("The body ended early"))
        expect(["first", "second"]).toEqual(expect.arrayContaining(found.map(({ text }) => text)))
      }
      const large = "x".repeat(10_001)
      const limits: ReadonlyArray<readonly [Buffer, string]> = [
        [body([file, large]), "A part is larger than 10000 bytes"],
        [body(['form-data; name="a"', large]), "A part is larger than 10000 bytes"],
        [
          body(...Array.from({ length: 3 }, () => [file, "x".repeat(9000)] as const)),
          "The body is larger than 20000 bytes",
        ],
        [body(...Array.from({ length: 5 }, () => [file, "x"] as const)), "There are more than 4 parts"],
      ]
      for (const [bytes, reason] of limits) {
        for (const size of [100, bytes.byteLength]) {
          const pieces: Array<Uint8Array> = []
          for (let at = 0; at < bytes.byteLength; at += size) pieces.push(bytes.subarray(at, at + size))
          const found: Array<Found> = []
          const answer = yield* Effect.exit(Effect.flip(read(pieces, undefined, found)))
          expect(answer).toEqual(failed(reason))
          expect(found.filter(({ text }) => text.length !== 9000 && text.length !== 1)).toEqual([])
        }
      }
    }),
  )

  it.effect("with malformed headers is rejected", () =>
    Effect.gen(function* () {
      for (const disposition of ["form-data; name=\"file\"; filename*=UTF-8''%E9", "form-data"]) {
        const answer = yield* Effect.exit(Effect.flip(read([body([disposition, "x"])])))
        expect([disposition, answer]).toEqual([
          disposition,
          Exit.succeed(new Parts.BadParts({ reason: "A part has malformed headers" })),
        ])
      }
    }),
  )
})
