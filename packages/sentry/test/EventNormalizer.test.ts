import { describe, expect, it } from "vitest"
import { occurredAt } from "../src/EventNormalizer.js"
import { detailsOf, eventId, limits, normalize, receivedAt, times } from "./support.js"

const minute = 60_000
const day = 24 * 60 * minute

describe("EventNormalizer", () => {
  it("creates an event from an empty object", () => {
    const event = normalize({})
    expect(event).toMatchObject({
      eventId,
      occurredAt: receivedAt,
      platform: "other",
      severity: "error",
      handled: true,
      serverName: "",
      environment: "",
      release: "",
      tags: [],
    })
    expect(event.details.ingest_truncations).toEqual([])
  })

  describe("exceptions", () => {
    const exception = { type: "E", value: "v", stacktrace: { frames: [{ function: "f", lineno: 3 }] } }
    const read = { type: "E", value: "v", frames: [{ function: "f", lineno: 3 }] }

    it.each([
      ["values", { exception: { values: [exception, null] } }],
      ["a list", { exception: [exception] }],
      ["an object", { exception }],
      ["sentry.interfaces.Exception", { "sentry.interfaces.Exception": { values: [exception] } }],
      ["a stack beside it", { exception: { type: "E", value: "v" }, stacktrace: exception.stacktrace }],
      [
        "an old stack beside it",
        {
          exception: [{ ...exception, stacktrace: null }],
          "sentry.interfaces.Stacktrace": exception.stacktrace,
        },
      ],
      ["frames as the stack", { exception: { ...exception, stacktrace: exception.stacktrace.frames } }],
      ["a raw stack as well", { exception: { ...exception, raw_stacktrace: { frames: [{}, {}] } } }],
    ])("reads them from %s", (_, event) => {
      expect(detailsOf(event).exceptions).toEqual([read])
    })

    it.each([{ frames: null }, { frames: [null] }, {}, null, [], "x", { frames: {} }])(
      "reads %j as no stack",
      (stacktrace) => {
        expect(detailsOf({ exception: [{ type: "E", stacktrace }] }).exceptions).toEqual([
          { type: "E", frames: [] },
        ])
      },
    )

    it.each([{ values: null }, { values: [] }, {}, null, 5, "x"])(
      "reads %j as no exceptions",
      (exception) => {
        expect(detailsOf({ exception }).exceptions).toEqual([])
      },
    )

    it("reads values that are no strings", () => {
      expect(
        detailsOf({ exception: { type: 5, value: { a: 1 }, module: null, thread_id: 7 } }).exceptions,
      ).toEqual([{ type: "5", value: '{"a":1}', thread_id: "7", frames: [] }])
    })

    it("is unhandled if one of them is unhandled", () => {
      const mechanism = (handled: unknown) => ({ type: "E", mechanism: { type: "generic", handled } })
      expect(normalize({ exception: [mechanism(true), mechanism(null), {}] }).handled).toBe(true)
      expect(normalize({ exception: [mechanism(false), mechanism(true)] }).handled).toBe(false)
      expect(normalize({ exception: [mechanism("false")] }).handled).toBe(false)
    })

    it("keeps a mechanism", () => {
      const mechanism = {
        type: "chained",
        handled: true,
        data: { a: 1 },
        meta: { signal: { number: 11 } },
        synthetic: true,
        exception_id: 1,
        parent_id: 0,
        is_exception_group: false,
        source: "__cause__",
      }
      expect(detailsOf({ exception: { type: "E", mechanism } }).exceptions[0]!.mechanism).toEqual(mechanism)
    })

    it("keeps a frame", () => {
      const frame = {
        filename: "a.js",
        abs_path: "/a.js",
        function: "f",
        module: "m",
        package: "p",
        lineno: 1,
        colno: 2,
        in_app: false,
        instruction_addr: "0x1",
        symbol_addr: "0x0",
        pre_context: ["a", ""],
        context_line: "b",
        post_context: [],
        vars: { x: [1, { y: null }] },
      }
      const frames = [frame, { ...frame, lineno: "12", vars: ["p", 1], pre_context: null, colno: -1.5 }]
      const { pre_context: _, colno: __, ...other } = frame
      expect(detailsOf({ exception: { stacktrace: { frames } } }).exceptions[0]!.frames).toEqual([
        frame,
        { ...other, lineno: 12, vars: { 0: "p", 1: 1 } },
      ])
    })
  })

  it("reads threads as a list or in values, and a message's stack as the current one", () => {
    const thread = {
      id: 5,
      name: "main",
      crashed: true,
      current: false,
      main: true,
      state: "runnable",
      stacktrace: { frames: [{}] },
    }
    const read = {
      id: "5",
      name: "main",
      crashed: true,
      current: false,
      main: true,
      state: "runnable",
      frames: [{}],
    }
    expect(detailsOf({ threads: [thread] }).threads).toEqual([read])
    expect(detailsOf({ threads: { values: [thread] } }).threads).toEqual([read])
    expect(detailsOf({ message: "m", stacktrace: { frames: [{ function: "f" }] } }).threads).toEqual([
      { current: true, frames: [{ function: "f" }] },
    ])
  })

  it.each([
    ["a message", { message: "hello" }, { formatted: "hello" }],
    ["a logentry that is text", { logentry: "hello" }, { formatted: "hello" }],
    [
      "a template alone",
      { logentry: { message: "hello %s" } },
      { formatted: "hello %s", message: "hello %s" },
    ],
    [
      "a formatted message",
      { logentry: { message: "hello {x}", formatted: "hello you" }, message: "" },
      { formatted: "hello you", message: "hello {x}" },
    ],
    [
      "sentry.interfaces.Message",
      { "sentry.interfaces.Message": { message: "a %s b %d%%", params: ["x", 5] } },
      { formatted: "a x b 5%", message: "a %s b %d%%", params: ["x", 5] },
    ],
    [
      "params by name",
      { message: { message: "%(a)s {b} {c} %(d)s", params: { a: 1, b: "two" } } },
      { formatted: "1 two {c} %(d)s", message: "%(a)s {b} {c} %(d)s", params: { a: 1, b: "two" } },
    ],
    [
      "params by number",
      { logentry: { message: "{1} {0} {} {}", params: ["a", "b"] } },
      { formatted: "b a a b", message: "{1} {0} {} {}", params: ["a", "b"] },
    ],
    ["an empty message", { message: "", logentry: {} }, null],
    ["a number", { message: 5 }, { formatted: "5" }],
  ])("reads %s", (_, event, expected) => {
    expect(detailsOf(event).logentry).toEqual(expected)
  })

  it("limits the length of a formatted message", () => {
    const event = {
      logentry: { message: "%(a)s".repeat(1500), params: { a: "\ud83d\ude00".repeat(20_000) } },
    }
    const formatted = detailsOf(event).logentry!.formatted
    expect(Buffer.byteLength(formatted)).toBeLessThanOrEqual(limits.maxShortStringBytes)
    expect(formatted.startsWith("\ud83d\ude00")).toBe(true)
  })

  it.each([
    ["a dictionary", { a: "1", b: 2, c: true, d: null, e: 1.5 }],
    ["pairs", [["a", "1"], ["b", 2], ["c", true], ["d", null], ["e", 1.5], null, ["f"], 5]],
    [
      "key and value",
      [
        { key: "a", value: "1" },
        { key: "b", value: 2 },
        { key: "c", value: true },
        { key: "e", value: 1.5 },
      ],
    ],
    [
      "pairs, some twice",
      [
        ["a", "1"],
        ["a", "2"],
        ["b", 2],
        ["c", true],
        ["", "x"],
        ["e", 1.5],
      ],
    ],
  ])("reads tags from %s", (_, tags) => {
    expect(normalize({ tags }).tags).toEqual([
      { key: "a", value: "1" },
      { key: "b", value: "2" },
      { key: "c", value: "true" },
      { key: "e", value: "1.5" },
    ])
  })

  it.each([
    ["fatal", "fatal"],
    ["Error", "error"],
    ["warn", "warning"],
    [" WARNING ", "warning"],
    ["info", "info"],
    ["debug", "debug"],
    ["sample", "debug"],
    ["critical", "error"],
    ["__proto__", "error"],
    ["constructor", "error"],
    [null, "error"],
    [{}, "error"],
    [40, "error"],
    [20, "info"],
    [-5, "error"],
  ])("reads the level %j as %s", (level, severity) => {
    expect(normalize({ level }).severity).toBe(severity)
  })

  it.each([
    [
      ["a", 1, true, "{{ default }}"],
      ["a", "1", "true", "{{ default }}"],
    ],
    [["a", null], ["a"]],
    ["a", ["a"]],
    [[], null],
    [null, null],
    [{ a: 1 }, null],
    [["a", {}], null],
    [times(32, String), times(32, String)],
    [times(33, String), null],
    [["x".repeat(1024)], ["x".repeat(1024)]],
    [["x".repeat(1025)], null],
    [["é".repeat(513)], null],
    [times(9, () => "x".repeat(1000)), null],
  ])("reads a fingerprint (%#)", (fingerprint, expected) => {
    expect(detailsOf({ fingerprint }).custom_fingerprint).toEqual(expected)
  })

  it("names a fingerprint that it ignores", () => {
    expect(detailsOf({ fingerprint: [{}] }).ingest_truncations).toHaveLength(1)
    expect(detailsOf({ fingerprint: [] }).ingest_truncations).toEqual([])
  })

  it("reads the user", () => {
    const user = {
      id: 42,
      username: "u",
      email: "e",
      ip_address: "::1",
      geo: { city: "c", region: "r", country_code: "DE" },
      data: { a: 1 },
      name: "n",
      segment: { b: 2 },
    }
    expect(detailsOf({ user }).user).toEqual({
      user_id: "42",
      username: "u",
      email: "e",
      ip_address: "::1",
      geo_city: "c",
      geo_region: "r",
      geo_country_code: "DE",
      data: { a: 1, name: "n", segment: { b: 2 } },
    })
    expect(detailsOf({ "sentry.interfaces.User": { id: "x", ip_address: "{{auto}}" } }).user).toMatchObject({
      user_id: "x",
      ip_address: "",
    })
    for (const user of [null, 5, [], "x", { geo: null, data: null }])
      expect(detailsOf({ user }).user.user_id).toBe("")
  })

  describe("request", () => {
    const request = (request: unknown) => detailsOf({ request }).request

    it.each([
      ["a dictionary", { A: "1", B: ["2", "3"], C: 4 }],
      [
        "pairs",
        [
          ["A", "1"],
          ["B", "2, 3"],
          ["C", "4"],
        ],
      ],
      [
        "pairs with lists",
        [
          ["A", ["1"]],
          ["B", ["2", 3]],
          ["C", 4],
        ],
      ],
      [
        "pairs that repeat a name",
        [
          ["A", "1"],
          ["B", "2"],
          ["b", 3],
          ["C", "4"],
        ],
      ],
    ])("reads headers from %s", (_, headers) => {
      expect(request({ headers }).headers).toEqual({ A: "1", B: "2, 3", C: "4" })
    })

    it("joins repeated cookie headers as Node does", () => {
      const headers = [
        ["Cookie", "a=1"],
        ["cookie", "b=2"],
      ]
      expect(request({ headers }).headers).toEqual({ Cookie: "a=1; b=2" })
    })

    it.each([
      ["text", "a=1&b=x%20y", "a=1&b=x%20y"],
      ["text with a question mark", "?a=1", "a=1"],
      ["a dictionary", { a: 1, b: "x y", c: ["1", "2"] }, "a=1&b=x+y&c=1&c=2"],
      [
        "pairs",
        [
          ["a", "1"],
          ["b", null],
        ],
        "a=1&b=",
      ],
      ["nothing", null, ""],
    ])("reads a query from %s", (_, query_string, expected) => {
      expect(request({ query_string }).query_string).toBe(expected)
    })

    it.each([
      ["text", "a=1; b=x=y;; c"],
      ["a dictionary", { a: "1", b: "x=y" }],
      [
        "pairs",
        [
          ["a", "1"],
          ["b", "x=y"],
        ],
      ],
    ])("reads cookies from %s", (_, cookies) => {
      expect(request({ cookies }).cookies).toEqual({ a: "1", b: "x=y" })
    })

    it.each([
      [{ a: 1 }, { a: 1 }],
      ['{"a":[1]}', { a: [1] }],
      ["text", { value: "text" }],
      ["{text", { value: "{text" }],
      [["a"], { value: ["a"] }],
      [5, { value: 5 }],
      ["", {}],
      [null, {}],
    ])("reads the body %j", (data, expected) => {
      expect(request({ data }).data).toEqual(expected)
    })

    it("reads a form", () => {
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      expect(request({ headers, data: "a=1&b=%00%ED%A0%80x" }).data).toEqual({
        a: "1",
        b: "\ufffd\ufffd\ufffdx",
      })
    })

    it("reads the request also under its old name", () => {
      const http = { url: "https://a.example/", method: "GET", env: { REMOTE_ADDR: "::1" } }
      expect(detailsOf({ "sentry.interfaces.Http": http }).request).toMatchObject(http)
    })
  })

  it("reads contexts, and the server's name from the device", () => {
    const contexts = { device: { name: "phone" }, os: null, app: "text", trace: { a: [1] } }
    expect(normalize({ contexts })).toMatchObject({
      serverName: "phone",
      details: {
        contexts: [
          { name: "device", data: { name: "phone" } },
          { name: "app", data: { value: "text" } },
          { name: "trace", data: { a: [1] } },
        ],
      },
    })
    expect(normalize({ contexts, server_name: "web-1" }).serverName).toBe("web-1")
  })

  it.each([
    ["values", { values: [{ message: "m", timestamp: 1700000000.5, level: null, data: { a: 1 } }] }],
    ["a list", [{ message: "m", timestamp: "2023-11-14T22:13:20.500", data: { a: 1 } }, null]],
  ])("reads breadcrumbs from %s", (_, breadcrumbs) => {
    expect(detailsOf({ breadcrumbs }).breadcrumbs).toEqual([
      { message: "m", timestamp: "2023-11-14T22:13:20.500Z", data: { a: 1 } },
    ])
  })

  it("reads the other fields", () => {
    expect(
      normalize({
        platform: "cobol",
        release: 5,
        dist: 7,
        environment: "prod",
        logger: "l",
        transaction: "GET /",
        culprit: "old",
        transaction_info: { source: "route" },
        sdk: { name: "s", version: 1 },
        extra: { a: [1], b: null },
        modules: { m: "1.0", n: null },
        debug_meta: { images: [{ type: "sourcemap", debug_id: "d" }, null] },
      }),
    ).toMatchObject({
      platform: "cobol",
      release: "5",
      environment: "prod",
      details: {
        dist: "7",
        logger: "l",
        transaction: "GET /",
        transaction_source: "route",
        sdk: { name: "s", version: "1" },
        extras: [
          { key: "a", value: [1] },
          { key: "b", value: null },
        ],
        dependencies: [
          { name: "m", version: "1.0" },
          { name: "n", version: "" },
        ],
        debug_images: [{ type: "sourcemap", debug_id: "d" }],
      },
    })
    expect(detailsOf({ culprit: "old" }).transaction).toBe("old")
    expect(normalize({ release: null }).release).toBe("")
    expect(detailsOf({ modules: [{ name: "m", version: "1" }, ["n", "2"]] }).dependencies).toEqual([
      { name: "m", version: "1" },
      { name: "n", version: "2" },
    ])
  })

  describe("time", () => {
    const at = (timestamp: unknown, sentAt?: unknown) => occurredAt(timestamp, sentAt, receivedAt)
    const recent = receivedAt - 5000

    it.each([
      [recent / 1000],
      [String(recent / 1000)],
      [recent],
      ["2025-06-03T11:59:55Z"],
      ["2025-06-03T11:59:55"],
      ["2025-06-03 11:59:55"],
      ["2025-06-03T11:59:55.0001234+00:00"],
      ["2025-06-03T13:59:55.000+0200"],
      ["2025-06-03T06:29:55-05:30"],
    ])("reads %j", (timestamp) => {
      expect(at(timestamp)).toBe(recent)
    })

    it.each([null, undefined, "", "yesterday", {}, 1e300, -1e300, Number.NaN, "9999999-01-01", "1e5"])(
      "uses the time of receipt for %j",
      (timestamp) => {
        expect(at(timestamp)).toBe(receivedAt)
      },
    )

    it("corrects the sender's clock, but not for network delay", () => {
      const hourBehind = (millis: number) => new Date(millis - 60 * minute).toISOString()
      expect(at(hourBehind(recent), hourBehind(receivedAt))).toBe(recent)
      expect(at((recent + 90 * day) / 1000, (receivedAt + 90 * day) / 1000)).toBe(recent)
      expect(at(recent / 1000, new Date(receivedAt - 2000).toISOString())).toBe(recent)
      expect(at(recent / 1000, "nonsense")).toBe(recent)
    })

    it("replaces implausible times", () => {
      expect(at((receivedAt + minute) / 1000)).toBe(receivedAt + minute)
      expect(at((receivedAt + minute + 1000) / 1000)).toBe(receivedAt)
      expect(at((receivedAt - 30 * day) / 1000)).toBe(receivedAt - 30 * day)
      expect(at((receivedAt - 30 * day - 1000) / 1000)).toBe(receivedAt)
      expect(at(0)).toBe(receivedAt)
    })
  })
})
