/** Valid events that are expensive to process, and must be accepted. */
import * as Random from "./Random.js"

export interface HostileEvent {
  readonly name: string
  /** The event's JSON, often in a form that no serializer writes. */
  readonly json: string | Buffer
  /** A substring of `ingest_truncations`. */
  readonly truncation?: string
}

const KiB = 1024
const repeat = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(",")
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
const thrown = (type: string, value: string) =>
  `"exception":{"values":[{"type":${JSON.stringify(type)},"value":${JSON.stringify(value)},` +
  `"stacktrace":{"frames":[{"filename":"a.js","function":"f","lineno":1}]}}]}`

const indexed = [
  "release",
  "transaction",
  "server_name",
  "environment",
  "platform",
  "logger",
  "dist",
  "culprit",
]

/** An event with the same text in every text field. */
const everywhere = (text: string) =>
  JSON.stringify({
    ...Object.fromEntries(indexed.map((field) => [field, text])),
    level: text,
    message: text,
    logentry: { message: text, formatted: text, params: [text] },
    fingerprint: [text],
    tags: { [text]: text, plain: text },
    extra: { [text]: text, list: [text, { [text]: text }] },
    contexts: { [text]: { [text]: text }, device: { name: text } },
    user: { id: text, username: text, email: text, ip_address: text, data: { [text]: text } },
    request: {
      url: text,
      method: text,
      query_string: text,
      data: text,
      cookies: text,
      headers: { [text]: text },
      env: { [text]: text },
    },
    sdk: { name: text, version: text },
    modules: { [text]: text },
    breadcrumbs: [{ category: text, message: text, type: text, data: { [text]: text }, timestamp: text }],
    exception: {
      values: [
        {
          type: text,
          value: text,
          module: text,
          mechanism: { type: text, data: { [text]: text } },
          stacktrace: {
            frames: [{ filename: text, function: text, module: text, context_line: text, vars: { a: text } }],
          },
        },
      ],
    },
  })

const timestamps = [
  "1e300",
  "-1e18",
  "1e18",
  "9007199254740993",
  "-62135596800",
  `"300000-01-01T00:00:00Z"`,
  `"+300000-01-01T00:00:00Z"`,
  `"0000-00-00T00:00:00Z"`,
  `"9999-12-31T23:59:59.999999999+99:99"`,
  `"2026-02-31T25:61:61Z"`,
  `"${"9".repeat(300)}"`,
  "1e999",
  "-0.0",
  "null",
  "[]",
  "{}",
  "true",
]

const numbers = ["1e999", "-1e999", "1e300", "9007199254740993", "-1", "2147483648", "0.5", "1e-320", "-0"]

export const hostileEvents: ReadonlyArray<HostileEvent> = [
  {
    name: "lists nested 100,000 deep",
    json: `{"extra":{"a":${nested("[", "]", 100_000)}}}`,
    truncation: "extras: nested deeper than 64",
  },
  {
    name: "objects nested 100,000 deep",
    json: `{"contexts":{"c":${nested(`{"a":`, "}", 100_000)}}}`,
    truncation: "contexts: nested deeper than 64",
  },
  { name: "nesting where text belongs", json: `{"message":${nested("[", "]", 100_000)}}` },
  { name: "nesting where a fingerprint belongs", json: `{"fingerprint":${nested("[", "]", 100_000)}}` },
  { name: "nesting where frames belong", json: `{"exception":${nested(`{"values":`, "}", 50_000)}}` },
  { name: "NULs everywhere", json: everywhere("a\0b\0") },
  { name: "nothing but NULs", json: everywhere("\0\0\0") },
  {
    name: "lone surrogates everywhere",
    json: everywhere("\ud800x\udfff\ud800").replaceAll("\ud800", "\\ud800"),
  },
  { name: "escaped lone surrogates", json: everywhere("a@b").replaceAll("@", "\\udc00\\ud800") },
  {
    name: "bytes that are no UTF-8",
    json: Buffer.concat([
      Buffer.from(`{"message":"`),
      Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xe2, 0x82]),
      Buffer.from(`"}`),
    ]),
  },
  {
    name: "quotes, braces and backslashes everywhere",
    json: everywhere(`\\"{},'\\\\{"a"}$1%s\n\r\t\x01\x7f`),
  },
  { name: "empty text everywhere", json: everywhere("") },
  {
    name: "8 KiB of random text everywhere that is indexed",
    json: `{${indexed.map((field) => `"${field}":"${Random.text(field, 8 * KiB)}"`).join(",")},
      ${thrown(Random.text("type", 8 * KiB), Random.text("value", 8 * KiB))}}`,
  },
  {
    name: "30 KiB of random text everywhere that is indexed",
    json: `{${indexed.map((field) => `"${field}":"${Random.text(field, 30 * KiB)}"`).join(",")},
      ${thrown(Random.text("type", 30 * KiB), Random.text("value", 30 * KiB))}}`,
    truncation: "release: cut to 8192 bytes",
  },
  {
    name: "a message of 8 KiB of many different words",
    json: `{"message":"${Random.text("words", 8 * KiB).replace(/(.{5})./g, "$1 ")}"}`,
  },
  { name: "an astral character at every cut", json: everywhere("\u{1f4a5}".repeat(4000)) },
  {
    name: "100 tags of the longest keys and 2 KiB of random values",
    json: `{"tags":{${repeat(100, (i) => `"${Random.text(`key${i}`, 200)}":"${Random.text(`value${i}`, 2 * KiB)}"`)}}}`,
  },
  {
    name: "longer tags",
    json: `{"tags":{${repeat(50, (i) => `"${Random.text(`key${i}`, 900)}":"${Random.text(`value${i}`, 9 * KiB)}"`)}}}`,
    truncation: "tag values: cut to 2048 bytes",
  },
  {
    name: "90,000 tags",
    json: `{"tags":{${repeat(90_000, (i) => `"${i.toString(36)}":1`)}}}`,
    truncation: "tags: 100 of 90000 kept",
  },
  {
    name: "90,000 tags as pairs",
    json: `{"tags":[${repeat(90_000, (i) => `["${i.toString(36)}",1]`)}]}`,
    truncation: "tags: 100 of 90000 kept",
  },
  {
    name: "100,000 breadcrumbs",
    json: `{"breadcrumbs":{"values":[${repeat(100_000, () => "{}")}]}}`,
    truncation: "breadcrumbs: 100 of 100000 kept",
  },
  {
    name: "10,000 exceptions",
    json: `{"exception":{"values":[${repeat(10_000, (i) => `{"type":"E${i}","stacktrace":{"frames":[{"function":"f"}]}}`)}]}}`,
    truncation: "exceptions: 32 of 10000 kept",
  },
  {
    name: "20,000 frames",
    json: `{"exception":[{"type":"E","stacktrace":{"frames":[${repeat(20_000, (i) => `{"function":"f${i}","vars":{"a":${i}}}`)}]}}]}`,
    truncation: "frames: 200 of 20000 kept",
  },
  {
    name: "10,000 threads",
    json: `{"threads":{"values":[${repeat(10_000, (i) => `{"id":${i},"crashed":true,"stacktrace":{"frames":[{"function":"f"}]}}`)}]}}`,
    truncation: "threads: 64 of 10000 kept",
  },
  {
    name: "thousands of everything else",
    json: `{"extra":{${repeat(9000, (i) => `"e${i}":1`)}},"contexts":{${repeat(9000, (i) => `"c${i}":{}`)}},
      "modules":{${repeat(9000, (i) => `"m${i}":"1"`)}},"debug_meta":{"images":[${repeat(9000, () => "{}")}]}}`,
    truncation: "dependencies: 500 of 9000 kept",
  },
  {
    name: "keys of 100 KiB",
    json: `{"tags":{"${"k".repeat(100 * KiB)}":"v"},"extra":{"${"e".repeat(100 * KiB)}":1},
      "contexts":{"${"c".repeat(100 * KiB)}":{"${"d".repeat(100 * KiB)}":1}},"${"f".repeat(100 * KiB)}":1}`,
    truncation: "tag keys: cut to 200 bytes",
  },
  {
    name: "__proto__ and constructor as keys",
    json: `{"__proto__":{"message":"no"},"constructor":1,"toString":1,
      "tags":{"__proto__":"a","constructor":"b","hasOwnProperty":"c"},
      "extra":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}},
      "contexts":{"__proto__":{"__proto__":{"a":1}},"device":{"__proto__":{"name":"x"}}},
      "user":{"__proto__":{"id":1},"data":{"__proto__":1}},"modules":{"__proto__":"1"},
      "request":{"headers":{"__proto__":"a"},"env":{"__proto__":{}},"data":{"__proto__":[]}},"level":"__proto__"}`,
  },
  {
    name: "keys twice",
    json: `{"message":"first","message":"second","tags":{"a":"1","a":"2"},"tags":{"b":"3","b":"4"},"extra":{"x":1,"x":2}}`,
  },
  {
    name: "NaN and Infinity",
    json: `{"message":"NaN","extra":{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN"},"timestamp":NaN,"level":NaN}`,
  },
  { name: "the smallest event", json: "{}" },
  {
    name: "an event of almost 1 MiB",
    json: `{"extra":{"a":"${"a".repeat(1_040_000)}"}}`,
    truncation: "extras: cut to",
  },
  {
    name: "messages that are dear to normalise",
    json: `{"message":"${"1a-".repeat(20 * KiB)}","logentry":{"message":"${"%s".repeat(10 * KiB)}","params":["${"%s".repeat(10 * KiB)}"]}}`,
  },
  { name: "a message of a million quotes", json: `{"message":"${`\\"`.repeat(250_000)}"}` },
  ...timestamps.map((timestamp) => ({
    name: `the timestamp ${timestamp.slice(0, 40)}`,
    json: `{"timestamp":${timestamp},"breadcrumbs":[{"timestamp":${timestamp}}],"message":"when?"}`,
  })),
  ...numbers.map((number) => ({
    name: `the number ${number} everywhere`,
    json: `{${indexed.map((field) => `"${field}":${number}`).join(",")},"level":${number},"message":${number},
      "tags":{"n":${number}},"extra":{"n":${number}},"user":{"id":${number}},"fingerprint":[${number}],
      "exception":[{"type":${number},"value":${number},"thread_id":${number},
        "mechanism":{"exception_id":${number},"parent_id":${number}},
        "stacktrace":{"frames":[{"lineno":${number},"colno":${number},"function":${number}}]}}]}`,
  })),
  ...["[]", "[[]]", "[null]", "{}", "true", `"x"`, `{"values":null}`, `{"values":{}}`, `[[["a"]]]`].map(
    (odd) => ({
      name: `${odd} where anything else belongs`,
      json: `{${[
        ...indexed,
        "level",
        "logentry",
        "fingerprint",
        "tags",
        "extra",
        "contexts",
        "user",
        "request",
        "sdk",
        "modules",
        "breadcrumbs",
        "exception",
        "threads",
        "stacktrace",
        "debug_meta",
        "transaction_info",
      ]
        .map((field) => `"${field}":${odd}`)
        .join(",")}}`,
    }),
  ),
]
