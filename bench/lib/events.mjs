/**
 * The events to send, as whole HTTP requests that are serialized once: 200 groups in 10 projects, in two sizes. Fields
 * that differ per event (ids, times, user, order number in the message) have a fixed width and are overwritten in
 * place.
 */
import { crc32, deflateRawSync } from "node:zlib"
import { seeded } from "./random.mjs"

const GROUPS = 200
export const PROJECTS = 10

/** Body size from which `@sentry/node` compresses, in bytes. */
const GZIP_THRESHOLD = 32 * 1024

export const USERS = 10_000

const VERBS =
  "add apply build cancel check commit fetch flush handle load merge parse render resolve save send".split(
    " ",
  )
const NOUNS =
  "Address Basket Coupon Customer Discount Invoice Item Label Order Parcel Payment Quote Refund".split(" ")
const TYPES = [
  "TypeError",
  "RangeError",
  "TimeoutError",
  "DatabaseError",
  "ValidationError",
  "HttpError",
  "Error",
]
const FOLDERS = ["orders", "billing", "stock", "web", "jobs", "mail"]
const LIBRARIES = ["express", "pg", "undici", "koa", "zod"]
const ENVIRONMENTS = ["production", "production", "staging", "canary"]
const BROWSERS = ["Chrome 131.0", "Firefox 133.0", "Safari 18.2", "Edge 131.0", "Chrome Mobile 130.0"]
const SYSTEMS = ["Windows 11", "macOS 15.2", "Android 15", "iOS 18.2", "Ubuntu 24.04"]
const WORDS =
  "pending total currency retry cache session cursor locale price amount batch token page limit".split(" ")

const MESSAGES = [
  (noun, random) => `${noun} 00000000 not found for account ${uuid(random)}`,
  (noun, random) =>
    `Cannot read properties of undefined (reading '${noun}') in job 00000000-${random.below(90) + 10}`,
  (noun, random) =>
    `${noun} 00000000: timeout of ${random.below(30) + 1}000 ms exceeded (10.0.0.${random.below(250)})`,
  (noun, random) => `duplicate key (${noun.toLowerCase()}_id)=(00000000) from ${uuid(random)}`,
]

const hex = (random, length) => {
  let text = ""
  while (text.length < length) text += random.next().toString(16).padStart(8, "0")
  return text.slice(0, length)
}

const uuid = (random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`

const sourceLine = (random) =>
  `    const ${random.pick(WORDS)} = await this.${random.pick(VERBS)}${random.pick(NOUNS)}(${random.pick(WORDS)}, ${random.below(1000)})`

const frame = (random, index, large) => {
  const inApp = index % 3 === 2
  const noun = random.pick(NOUNS)
  const line = random.below(400) + 1
  const small = {
    filename: inApp ? `src/${random.pick(FOLDERS)}/${noun}.ts` : `${random.pick(LIBRARIES)}.js`,
    function: random.pick(VERBS) + (inApp ? noun : ""),
    lineno: line,
    in_app: inApp,
  }
  if (!large) return small
  const lines = () => Array.from({ length: 5 }, () => sourceLine(random))
  return {
    ...small,
    abs_path: `/srv/app/releases/20250114/${inApp ? "" : "node_modules/"}${small.filename}`,
    module: small.filename.replaceAll("/", ".").replace(/\.[jt]s$/, ""),
    colno: random.below(80) + 1,
    pre_context: lines(),
    context_line: sourceLine(random),
    post_context: lines(),
    ...(inApp && {
      vars: { [random.pick(WORDS)]: hex(random, 24), [random.pick(WORDS)]: random.below(1e6) },
    }),
  }
}

const breadcrumb = (random, index, large) =>
  large
    ? {
        timestamp: 1736850000 + index * 0.731,
        type: "http",
        category: random.pick(["http", "console", "query", "navigation"]),
        level: random.pick(["info", "debug", "warning"]),
        message: `${random.pick(VERBS)} ${random.pick(NOUNS)} ${random.pick(WORDS)}=${random.below(1e6)}`,
        data: {
          url: `https://api.example.com/v2/${random.pick(FOLDERS)}/${hex(random, 12)}`,
          "http.method": random.pick(["GET", "POST", "PUT"]),
          status_code: random.pick([200, 200, 201, 304, 404, 500]),
        },
      }
    : { timestamp: 1736850000 + index, category: "query", message: `select ${random.pick(NOUNS)}` }

/**
 * An event of a group. The fields that are overwritten come first, so that they lie in the stored (uncompressed) block
 * of a compressed body.
 */
const makeEvent = (group, variant, large) => {
  const stack = seeded(group + 1)
  const random = seeded(group * 7919 + variant + 1)
  // Sixteen verbs by thirteen nouns give each group a unique innermost frame.
  const verb = VERBS[group % VERBS.length]
  const noun = NOUNS[Math.floor(group / VERBS.length)]
  const frames = Array.from({ length: 29 }, (_, index) => frame(stack, index, large))
  frames.push({
    ...frame(stack, 2, large),
    filename: `src/${stack.pick(FOLDERS)}/${noun}.ts`,
    function: verb + noun,
  })
  const event = {
    event_id: "0".repeat(32),
    timestamp: 1736850000.123,
    tags: {
      user_id: "u0000000",
      url: `/${FOLDERS[group % FOLDERS.length]}/${noun.toLowerCase()}/${random.below(4)}`,
      browser: random.pick(BROWSERS),
      os: random.pick(SYSTEMS),
    },
    user: { id: "u0000000" },
    exception: {
      values: [
        {
          type: TYPES[group % TYPES.length],
          value: MESSAGES[group % MESSAGES.length](noun, random),
          mechanism: { type: "generic", handled: group % 4 === 0 },
          stacktrace: { frames },
        },
      ],
    },
    level: "error",
    platform: "node",
    server_name: `web-${random.below(8) + 1}`,
    environment: random.pick(ENVIRONMENTS),
    release: `shop@3.${random.below(12)}.0`,
    transaction: `POST /${FOLDERS[group % FOLDERS.length]}/:id`,
    contexts: {
      trace: { trace_id: hex(random, 32), span_id: hex(random, 16) },
      runtime: { name: "node", version: "v20.19.0" },
    },
    breadcrumbs: Array.from({ length: large ? 40 : 2 }, (_, index) => breadcrumb(random, index, large)),
    sdk: { name: "sentry.javascript.node", version: "10.78.0" },
  }
  if (!large) return event
  Object.assign(event.contexts, {
    os: {
      name: "Linux",
      version: "6.8.0-51-generic",
      kernel_version: "#52-Ubuntu SMP",
      build: hex(random, 16),
    },
    device: {
      arch: "x64",
      boot_time: "2025-01-10T04:11:09.000Z",
      memory_size: 16765906944,
      processor_count: 8,
    },
    app: { app_start_time: "2025-01-14T08:00:00.000Z", app_memory: 188219392 },
    culture: { locale: "en-GB", timezone: "Europe/Vienna" },
  })
  event.request = {
    method: "POST",
    url: `https://shop.example.com/${random.pick(FOLDERS)}/${hex(random, 12)}`,
    query_string: `page=${random.below(50)}&sort=${random.pick(WORDS)}`,
    headers: {
      host: "shop.example.com",
      accept: "application/json, text/plain, */*",
      "accept-language": "en-GB,en;q=0.9,de;q=0.8",
      "user-agent":
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36",
      "x-request-id": uuid(random),
    },
    data: { cart: hex(random, 32), items: Array.from({ length: 10 }, () => random.below(1e6)) },
  }
  event.modules = Object.fromEntries(
    Array.from({ length: 100 }, () => [
      `@${random.pick(WORDS)}/${random.pick(VERBS)}-${random.pick(NOUNS)}`.toLowerCase(),
      `${random.below(9)}.${random.below(30)}.${random.below(20)}`,
    ]),
  )
  let length = JSON.stringify(event).length
  while (length < 50 * 1024 - 300) {
    const added = breadcrumb(random, event.breadcrumbs.length, true)
    event.breadcrumbs.push(added)
    length += JSON.stringify(added).length + 1
  }
  return event
}

const HEX = Buffer.from("0123456789abcdef")
const ids = seeded(Date.now() & 0x7fffffff)
let sequence = 0

/** Writes a new version 4 UUID without dashes to both offsets: random digits, then a counter. */
const writeEventId = (buffer, first, second) => {
  sequence++
  let bits = 0
  for (let index = 0; index < 32; index++) {
    if ((index & 7) === 0) bits = index < 24 ? ids.next() : sequence
    const digit = HEX[index === 12 ? 4 : index === 16 ? 8 | (bits >>> 30) : bits >>> 28]
    bits <<= 4
    buffer[first + index] = digit
    buffer[second + index] = digit
  }
}

const writeDigits = (buffer, offset, width, number) => {
  for (let index = offset + width - 1; index >= offset; index--) {
    buffer[index] = 48 + (number % 10)
    number = Math.floor(number / 10)
  }
}

let clock = 0
const clockText = Buffer.alloc(24)

/** A whole HTTP request that is refreshed before each send. Only one connection at a time may use it. */
class Template {
  busy = false

  constructor(bytes, at, checksum) {
    this.bytes = bytes
    this.at = at
    this.checksum = checksum
  }

  refresh() {
    const { bytes, at } = this
    const now = Date.now()
    if (now !== clock) {
      clock = now
      clockText.latin1Write(new Date(now).toISOString(), 0)
    }
    writeEventId(bytes, at.headerId, at.eventId)
    clockText.copy(bytes, at.sentAt)
    const seconds = Math.floor(now / 1000)
    writeDigits(bytes, at.timestamp, 10, seconds)
    writeDigits(bytes, at.timestamp + 11, 3, now - seconds * 1000)
    const user = ids.below(USERS)
    writeDigits(bytes, at.user, 7, user)
    writeDigits(bytes, at.userId, 7, user)
    writeDigits(bytes, at.number, 8, ids.below(100_000_000))
    if (this.checksum !== null) this.checksum(bytes)
    return bytes
  }
}

/**
 * Gzip whose first `headLength` bytes are a stored block, so that they can be overwritten. The checksum is that of the
 * head, carried over the length of the rest. That is a linear map, stored here as the images of the 32 bits.
 */
const gzipWithOpenHead = (body, headLength) => {
  const head = body.subarray(0, headLength)
  const rest = body.subarray(headLength)
  const prefix = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0])
  prefix.writeUInt16LE(headLength, 11)
  prefix.writeUInt16LE(~headLength & 0xffff, 13)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(body.length, 4)
  const wire = Buffer.concat([prefix, head, deflateRawSync(rest), trailer])

  const zeros = Buffer.alloc(rest.length)
  const ofZero = crc32(zeros, 0)
  const images = Int32Array.from({ length: 32 }, (_, bit) => crc32(zeros, (1 << bit) >>> 0) ^ ofZero)
  const ofRest = crc32(rest)
  const checksum = (bytes, start) => {
    let value = crc32(bytes.subarray(start + prefix.length, start + prefix.length + headLength))
    let sum = ofRest
    for (let bit = 0; value !== 0; bit++, value >>>= 1) if (value & 1) sum ^= images[bit]
    bytes.writeInt32LE(sum | 0, start + wire.length - 8)
  }
  return { wire, offset: prefix.length, checksum }
}

const makeTemplate = (group, variant, large, project, host) => {
  const event = JSON.stringify(makeEvent(group, variant, large))
  const text = `{"event_id":"${"0".repeat(32)}","sent_at":"2025-01-14T10:20:00.000Z","sdk":{"name":"sentry.javascript.node","version":"10.78.0"}}\n{"type":"event"}\n${event}`
  const body = Buffer.from(text)
  const number = text.indexOf("00000000", text.indexOf('"exception"'))
  const packed = body.length > GZIP_THRESHOLD ? gzipWithOpenHead(body, number + 8) : null
  const wire = packed === null ? body : packed.wire
  const head = Buffer.from(
    `POST /api/${project.id}/envelope/ HTTP/1.1\r\nHost: ${host}\r\n` +
      `X-Sentry-Auth: Sentry sentry_version=7, sentry_client=sentry.javascript.node/10.78.0, sentry_key=${project.token}\r\n` +
      `Content-Type: application/x-sentry-envelope\r\n${packed === null ? "" : "Content-Encoding: gzip\r\n"}` +
      `Content-Length: ${wire.length}\r\n\r\n`,
  )
  // The text is ASCII up to the last overwritten field, so string offsets are byte offsets.
  const start = head.length + (packed === null ? 0 : packed.offset)
  const after = (mark) => start + text.indexOf(mark) + mark.length
  const at = {
    headerId: after('{"event_id":"'),
    sentAt: after('"sent_at":"'),
    eventId: start + text.lastIndexOf('{"event_id":"') + 13,
    timestamp: after('"timestamp":'),
    user: after('"user_id":"u'),
    userId: after('"user":{"id":"u'),
    number: start + number,
  }
  const checksum = packed === null ? null : (bytes) => packed.checksum(bytes, head.length)
  const template = new Template(Buffer.concat([head, wire]), at, checksum)
  return { template, bodyBytes: body.length, wireBytes: wire.length }
}

const span = (numbers) => ({
  mean: Math.round(numbers.reduce((sum, number) => sum + number, 0) / numbers.length),
  min: Math.min(...numbers),
  max: Math.max(...numbers),
})

/**
 * All requests of one size, shuffled: ten variants of each group for 3 KB, two for 50 KB. Groups are spread evenly over
 * the projects and are equally frequent.
 *
 * @param {{ eventKb: 3 | 50, projects: ReadonlyArray<{ id: number, token: string }>, host: string }} options
 */
export const makeTemplates = ({ eventKb, projects, host }) => {
  const large = eventKb > 3
  const made = []
  for (let variant = 0; variant < (large ? 2 : 10); variant++) {
    for (let group = 0; group < GROUPS; group++) {
      made.push(makeTemplate(group, variant, large, projects[group % projects.length], host))
    }
  }
  const random = seeded(11)
  for (let index = made.length - 1; index > 0; index--) {
    const other = random.below(index + 1)
    ;[made[index], made[other]] = [made[other], made[index]]
  }
  return {
    templates: made.map(({ template }) => template),
    bodyBytes: span(made.map(({ bodyBytes }) => bodyBytes)),
    wireBytes: span(made.map(({ wireBytes }) => wireBytes)),
  }
}
