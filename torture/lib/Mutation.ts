/** Damages bytes and text the way broken clients, proxies and attackers do. */
import type { Chance } from "./Chance.js"

/** Applies one to four kinds of damage in sequence. */
export const bytes = (chance: Chance, original: Buffer): Buffer => {
  let body = original
  for (let times = chance.between(1, 4); times > 0; times--) body = chance.pick(damages)(chance, body)
  return body.length > 2 * 1024 * 1024 ? body.subarray(0, 2 * 1024 * 1024) : body
}

export const text = (chance: Chance, original: string): string => {
  const at = chance.between(0, original.length)
  const end = Math.min(original.length, at + chance.between(0, 6))
  return original.slice(0, at) + chance.pick(oddText) + original.slice(end)
}

// internal

type Damage = (chance: Chance, body: Buffer) => Buffer

const oddText = [
  "%",
  "%00",
  "%ff%fe",
  "..%2f",
  "/",
  "//",
  "?",
  "&",
  "=",
  "&limit=-1",
  "&limit=1e9",
  "&cursor=9007199254740993",
  "&since=never",
  "9".repeat(40),
  "-1",
  "0",
  "null",
  "[]",
  "{}",
  '"',
  "'",
  "\\",
  "%F0%9F%92%A5",
  "%u0000",
  "*",
  "(",
  ")",
  " OR ",
  "is:",
  "!is:",
  "tags.",
  ":",
  "x".repeat(3_000),
]

const oddTokens = [
  "null",
  "true",
  "[]",
  "{}",
  "-1",
  "1e999",
  "9007199254740993",
  '""',
  '"\\ud800"',
  '"\\u0000"',
  "\u0000",
  "\n",
  "{",
  "}",
  "[[[[[[[[",
  '{"type":"event"}\n',
  '{"type":"attachment","length":999999}\n',
].map((token) => Buffer.from(token))

const splice = (body: Buffer, at: number, remove: number, insert: Uint8Array): Buffer =>
  Buffer.concat([body.subarray(0, at), insert, body.subarray(Math.min(body.length, at + remove))])

const place = (chance: Chance, body: Buffer) => chance.between(0, body.length)

const damages: ReadonlyArray<Damage> = [
  (chance, body) => body.subarray(0, place(chance, body)),
  (chance, body) => body.subarray(place(chance, body)),
  (chance, body) => splice(body, place(chance, body), 1, Buffer.from([chance.between(0, 255)])),
  (chance, body) => splice(body, place(chance, body), chance.between(0, 40), Buffer.alloc(0)),
  (chance, body) => splice(body, place(chance, body), 0, chance.bytes(chance.between(1, 40))),
  (chance, body) => splice(body, place(chance, body), chance.between(0, 12), chance.pick(oddTokens)),
  (chance, body) => {
    const from = place(chance, body)
    return splice(body, place(chance, body), 0, body.subarray(from, from + chance.between(1, 2_000)))
  },
  // Replaces a value: the text between a colon and the next comma.
  (chance, body) => {
    const colon = body.indexOf(58, place(chance, body))
    if (colon === -1) return body
    const comma = body.indexOf(44, colon)
    return splice(body, colon + 1, comma === -1 ? 1 : comma - colon - 1, chance.pick(oddTokens))
  },
]
