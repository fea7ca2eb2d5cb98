import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeText, isRecord, parseJson } from "../src/internal/json.js"
import { isJsonObject, scanObject } from "../src/internal/jsonScan.js"
import { sampleEvents, seeded } from "./support.js"

const isObject = (bytes: Buffer) => isRecord(parseJson(decodeText(bytes)))

const isStrictObject = (bytes: Buffer) => {
  try {
    return isRecord(JSON.parse(decodeText(bytes)))
  } catch {
    return false
  }
}

/** A scanned object must be one, and both checks must agree. */
const expectAgreement = (bytes: Buffer) => {
  const scanned = scanObject(bytes)
  if (scanned && !isStrictObject(bytes)) expect.fail(`not an object: ${JSON.stringify(bytes.toString())}`)
  if (isJsonObject(bytes) !== isObject(bytes)) expect.fail(`differs: ${JSON.stringify(bytes.toString())}`)
  return scanned
}

describe("JsonScan", () => {
  it.each([
    "{}",
    " {\t}\r\n",
    "\ufeff{}",
    '{"a":1}',
    '{"a":{},"b":[],"c":[[],{}],"d":[1,2]}',
    '{"":""}',
    '{"a":[-0,0.5,-1e9,1E+2,12345678901234567890,1.5e-7]}',
    '{"a":true,"b":false,"c":null}',
    '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D"}',
    '{"ä":"日本語 \u007f"}',
    '{"a":1,"a":2,"__proto__":3}',
  ])("reads %j", (text) => {
    expect(scanObject(Buffer.from(text))).toBe(true)
    expect(isObject(Buffer.from(text))).toBe(true)
  })

  it.each([
    "",
    " ",
    "{",
    "}",
    "[]",
    "[{}]",
    "null",
    '"{}"',
    "{}}",
    "{} x",
    "{]",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1 2]}',
    '{"a":[}',
    '{"a":[1}]',
    '{"a":1]',
    "{a:1}",
    "{'a':1}",
    '{"a":01}',
    '{"a":-}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":1e}',
    '{"a":+1}',
    '{"a":tru}',
    '{"a":nul}',
    '{"a":truex}',
    '{"a":undefined}',
    '{"a":"\\x"}',
    '{"a":"\\u00g0"}',
    '{"a":"\n"}',
    '{"a":"\u0000"}',
    '{"a":"b}',
    '{"a":"b\\"}',
    '{"a":1}\u0000',
    '{"a":1}\u00a0',
    "{\u000b}",
    "\ufeff\ufeff{}",
    "{",
    '{"a":"',
    '{"a":"\\',
    '{"a":"\\u12',
    '{"a":-',
  ])("does not read %j", (text) => {
    expect(isJsonObject(Buffer.from(text))).toBe(false)
    expect(isObject(Buffer.from(text))).toBe(false)
  })

  it("leaves to the parser what only the parser knows", () => {
    const deep = (depth: number) => Buffer.from(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`)
    expect(scanObject(deep(255))).toBe(true)
    for (const bytes of [Buffer.from('{"a":NaN,"b":[-Infinity]}'), deep(256), deep(100_000)]) {
      expect(scanObject(bytes)).toBe(false)
      expect(isJsonObject(bytes)).toBe(true)
    }
    expect(isJsonObject(Buffer.from('{"a":NaN'))).toBe(false)
  })

  it("agrees with the parser on every object, and on bytes that are nearly one", () => {
    const spaces = fc.constantFrom(undefined, 1, "\t")
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\0-e.tn \u0001ä')), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, edits, (value, space, changes) => {
        const text = JSON.stringify(value, null, space)
        expect(expectAgreement(Buffer.from(text))).toBe(true)
        let changed = text
        for (const [at, character] of changes) {
          const i = at % (changed.length + 1)
          changed = changed.slice(0, i) + character + changed.slice(i + (at % 2))
        }
        expectAgreement(Buffer.from(changed))
        expectAgreement(Buffer.from(text).subarray(0, text.length - 1))
      }),
      { numRuns: 2000, seed: 5 },
    )
  })

  it("agrees with the parser on arbitrary bytes", () => {
    const bytes = fc.array(
      fc.constantFrom(0, 9, 10, 32, 34, 44, 45, 48, 58, 91, 92, 93, 101, 117, 123, 125, 0xe2, 0xff),
    )
    fc.assert(
      fc.property(bytes, (inner) => {
        expectAgreement(Buffer.from(inner))
        expectAgreement(Buffer.from([123, 34, ...inner, 34, 58, 48, 125]))
        expectAgreement(Buffer.from([123, 34, 34, 58, ...inner, 125]))
      }),
      { numRuns: 5000, seed: 6 },
    )
  })

  it("agrees with the parser on real events, cut and changed", () => {
    const next = seeded(21)
    for (const { bytes, name } of sampleEvents()) {
      expect(scanObject(bytes), name).toBe(true)
      for (let i = 0; i < 20; i++) {
        const changed = Buffer.from(bytes)
        changed[next(bytes.length)] = next(256)
        expectAgreement(changed)
        expectAgreement(bytes.subarray(0, next(bytes.length)))
      }
    }
  })
})
