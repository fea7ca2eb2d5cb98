import { deflateSync } from "node:zlib"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { expectLinear } from "../../core/test/support/linear.js"
import { parseStoreBody } from "../src/StoreBody.js"
import { limits } from "./support.js"

const parse = (body: string | Buffer) => parseStoreBody(Buffer.from(body as Buffer), limits)
const read = (body: string | Buffer) => Result.getOrThrow(parse(body))
const reasonOf = (body: string | Buffer) => Result.getOrThrow(Result.flip(parse(body))).reason

const json = '{"message":"héllo"}'

describe("StoreBody", () => {
  it.each([
    ["JSON", json],
    ["JSON after white space", ` \n\t${json}\n`],
    ["JSON after a byte order mark", `\ufeff${json}`],
    ["base64", Buffer.from(json).toString("base64")],
    ["base64 of zlib", deflateSync(json).toString("base64")],
    ["URL-safe base64", deflateSync(json).toString("base64url")],
    ["base64 whose plus signs were lost", deflateSync(json).toString("base64").replaceAll("+", " ")],
    ["a form", `sentry_data=${encodeURIComponent(deflateSync(json).toString("base64"))}`],
    ["a form of JSON", `sentry_data=${encodeURIComponent(json)}`],
  ])("reads %s", (_, body) => {
    const { event, json: stored } = read(body)
    expect(event).toEqual({ message: "héllo" })
    expect(JSON.parse(stored.toString().replace("\ufeff", ""))).toEqual(event)
  })

  it("reads NaN and Infinity as null, but not inside strings", () => {
    const body = '{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \\" Infinity","d":-1}'
    expect(read(body).event).toEqual({ a: null, b: [null, null], c: 'NaN " Infinity', d: -1 })
    expect(reasonOf('{"a":NaNa}')).toBe("invalid_json")
    expect(reasonOf('{"a":NaN,')).toBe("invalid_json")
  })

  it.each(["[]", "null", '"text"', "{", '{"a":1}}', "%%%", "YWJj", "sentry_data="])("refuses %j", (body) => {
    expect(reasonOf(body)).toBe("invalid_json")
  })

  it("limits the size of an event, also in base64 or deflate", () => {
    const large = JSON.stringify({ message: "x".repeat(limits.maxEventBytes) })
    expect(reasonOf(large)).toBe("too_large")
    expect(reasonOf(Buffer.from(large).toString("base64"))).toBe("too_large")
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64")
    expect(reasonOf(bomb)).toBe("too_large")
    expect(reasonOf("A".repeat(5 * limits.maxEventBytes))).toBe("too_large")
  })

  it("takes linear time if a quote is never closed", () => {
    expectLinear(400_000, (size) => {
      expect(reasonOf(`{"a":NaN,"b":"${'\\"'.repeat(size)}`)).toBe("invalid_json")
    })
  })
})
