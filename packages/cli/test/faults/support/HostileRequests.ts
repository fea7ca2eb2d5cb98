/** Requests that must be rejected, with the expected status. */
import zlib from "node:zlib"
import type { Sending } from "./Http.js"

export interface HostileRequest extends Sending {
  readonly name: string
  /** Default: `envelope` */
  readonly endpoint?: "envelope" | "store" | "security"
  readonly status: number
}

const MiB = 1024 * 1024
const zeros = Buffer.alloc(64 * MiB)

/** RLE blocks of four bytes that expand to 128 KiB each, 128 MiB in total. */
const zstdBomb = (): Buffer => {
  const block = (last: boolean) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUIntLE(((128 * 1024) << 3) | (1 << 1) | (last ? 1 : 0), 0, 3)
    return bytes
  }
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58])
  return Buffer.concat([header, ...Array.from({ length: 1000 }, (_, i) => block(i === 999))])
}

const nestedGzip = (): Buffer => zlib.gzipSync(zlib.gzipSync(zeros))

const id = "e".repeat(32)
const envelope = (header: string, item: string, payload: string) => `${header}\n${item}\n${payload}`
const event = (item: string, payload = `{"message":"m"}`) => envelope("{}", item, payload)

export const hostileRequests: ReadonlyArray<HostileRequest> = [
  {
    name: "a gzip bomb",
    status: 413,
    body: zlib.gzipSync(zeros),
    headers: { "content-encoding": "gzip" },
  },
  {
    name: "a deflate bomb",
    status: 413,
    body: zlib.deflateSync(zeros),
    headers: { "content-encoding": "deflate" },
  },
  {
    name: "a raw deflate bomb",
    status: 413,
    body: zlib.deflateRawSync(zeros),
    headers: { "content-encoding": "deflate" },
  },
  {
    name: "a brotli bomb",
    status: 413,
    body: zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    headers: { "content-encoding": "br" },
  },
  { name: "a zstd bomb", status: 413, body: zstdBomb(), headers: { "content-encoding": "zstd" } },
  {
    name: "a bomb in a bomb",
    status: 413,
    body: nestedGzip(),
    headers: { "content-encoding": "gzip, gzip" },
  },
  {
    name: "a bomb in base64",
    endpoint: "store",
    status: 413,
    body: zlib.deflateSync(zeros).toString("base64"),
  },
  { name: "gzip that is none", status: 400, body: "no", headers: { "content-encoding": "gzip" } },
  {
    name: "gzip that ends early",
    status: 400,
    body: zlib.gzipSync(event(`{"type":"event"}`)).subarray(0, 40),
    headers: { "content-encoding": "gzip" },
  },
  { name: "zstd that is none", status: 400, body: "nothing of it", headers: { "content-encoding": "zstd" } },
  { name: "an unknown encoding", status: 415, body: "{}", headers: { "content-encoding": "lzma" } },
  {
    name: "a body of 16 MiB and one byte, without its length",
    status: 413,
    body: Buffer.alloc(16 * MiB + 1, 32),
    chunked: true,
  },
  { name: "a header that is no JSON", status: 400, body: "{nonsense\n{}\n" },
  { name: "a header that is a list", status: 400, body: "[]\n{}\n" },
  { name: "a header nested deep", status: 400, body: `${"[".repeat(8000)}\n{}\n` },
  { name: "a header line of 9 KiB", status: 413, body: `{"a":"${"a".repeat(9000)}"}\n` },
  { name: "a header with a key twice", status: 400, body: `{"a":1,"a":2}\n{"type":"event"}\n{}` },
  { name: "an item header that is no JSON", status: 400, body: "{}\nevent\n{}" },
  { name: "an item without a type", status: 400, body: event("{}") },
  { name: "an item whose type is a number", status: 400, body: event(`{"type":1}`) },
  ...["-1", "1.5", `"5"`, "1e308", "1e999", "[]", "true", "16", "3", "9007199254740993"].map((length) => ({
    name: `an item of length ${length}`,
    status: 400,
    body: event(`{"type":"event","length":${length}}`),
  })),
  { name: "an event that is a list", status: 400, body: event(`{"type":"event"}`, "[]") },
  { name: "an event that is nothing", status: 400, body: event(`{"type":"event"}`, "") },
  {
    name: "two events",
    status: 400,
    body: `{}\n{"type":"event"}\n{}\n{"type":"event"}\n{}\n`,
  },
  { name: "17 items", status: 413, body: `{}\n${`{"type":"session"}\n{}\n`.repeat(17)}` },
  {
    name: "an event of more than 1 MiB",
    status: 413,
    body: event(`{"type":"event"}`, `{"a":"${"a".repeat(MiB)}"}`),
  },
  {
    name: "a million tags",
    status: 413,
    body: event(
      `{"type":"event"}`,
      `{"tags":{${Array.from({ length: 1_000_000 }, (_, i) => `"${i.toString(36)}":1`).join(",")}}}`,
    ),
  },
  ...[`"abc"`, `"${"g".repeat(32)}"`, `"${id}0"`, "1", "[]", "true", `"\\u0000${id.slice(1)}"`].map(
    (odd) => ({
      name: `the event id ${odd}`,
      status: 400,
      body: envelope(`{"event_id":${odd}}`, `{"type":"event"}`, "{}"),
    }),
  ),
  {
    name: "an odd event id inside of the event",
    status: 400,
    body: event(`{"type":"event"}`, `{"event_id":7}`),
  },
  { name: "a stored event that is no JSON", endpoint: "store", status: 400, body: `{"message":` },
  { name: "a stored event with a raw NUL", endpoint: "store", status: 400, body: `{"message":"\0"}` },
  {
    name: "a stored event nested without end",
    endpoint: "store",
    status: 400,
    body: `{"a":${"[".repeat(500_000)}`,
  },
  { name: "a stored event of another shape", endpoint: "store", status: 400, body: "null" },
  {
    name: "a stored event of more than 1 MiB",
    endpoint: "store",
    status: 413,
    body: `{"a":"${"a".repeat(MiB)}"}`,
  },
  {
    name: "a security report that is no JSON",
    endpoint: "security",
    status: 400,
    body: "{",
    headers: { "content-type": "application/csp-report" },
  },
]
