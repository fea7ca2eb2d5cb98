/**
 * The least that an error tracker costs on this machine, as a bare `node:http` server. It parses the event from its
 * envelope, hashes type and innermost frame, upserts the group, inserts the report as JSON, and responds after the
 * commit. No framework, authentication, limits, tags or search. One statement writes a batch: all events that arrived
 * during the previous write.
 *
 * `run.mjs` starts it as a child process. It reads DATABASE_URL and sends `{ port }` over IPC once it listens.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { gunzipSync } from "node:zlib"
import pg from "pg"

const CONNECTIONS = 2
const MAX_BATCH = 200

const schema = (compression) => `
  CREATE TABLE groups (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL,
    key bytea NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    reports_count bigint NOT NULL,
    first_occurred_at timestamptz NOT NULL,
    last_occurred_at timestamptz NOT NULL,
    UNIQUE (project_id, key)
  ) WITH (fillfactor = 50);
  CREATE TABLE reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL,
    group_id bigint NOT NULL,
    event_id uuid NOT NULL,
    occurred_at timestamptz NOT NULL,
    data text COMPRESSION ${compression} NOT NULL,
    UNIQUE (project_id, event_id)
  );`

const RECORD = {
  name: "record",
  text: `
    WITH grouped AS (
      INSERT INTO groups (project_id, key, type, message, reports_count, first_occurred_at, last_occurred_at)
      SELECT project_id, key, type, message, reports_count, to_timestamp(first), to_timestamp(last)
      FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::bigint[], $6::float8[], $7::float8[])
        AS g (project_id, key, type, message, reports_count, first, last)
      ORDER BY project_id, key
      ON CONFLICT (project_id, key) DO UPDATE SET
        reports_count = groups.reports_count + excluded.reports_count,
        last_occurred_at = greatest(groups.last_occurred_at, excluded.last_occurred_at)
      RETURNING id, project_id, key
    )
    INSERT INTO reports (project_id, group_id, event_id, occurred_at, data)
    SELECT project_id, grouped.id, event_id, to_timestamp(occurred_at), data
    FROM unnest($8::bigint[], $9::bytea[], $10::uuid[], $11::float8[], $12::text[])
      AS r (project_id, key, event_id, occurred_at, data)
    JOIN grouped USING (project_id, key)
    ON CONFLICT (project_id, event_id) DO NOTHING`,
}

// PostgreSQL's binary array format, filled with the received bytes. The text format would escape every quote of every
// JSON document.
const OID = { bigint: 20, bytea: 17, text: 25, uuid: 2950, float8: 701 }

const arrayHead = (type, count, bytes) => {
  const buffer = Buffer.allocUnsafe(20 + bytes)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(0, 4)
  buffer.writeInt32BE(OID[type], 8)
  buffer.writeInt32BE(count, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}

const fixed = (type, values, write) => {
  const buffer = arrayHead(type, values.length, values.length * 12)
  let offset = 20
  for (const value of values) {
    buffer.writeInt32BE(8, offset)
    write(buffer, value, offset + 4)
    offset += 12
  }
  return buffer
}
const bigints = (values) =>
  fixed("bigint", values, (buffer, value, offset) => {
    buffer.writeInt32BE(Math.floor(value / 0x1_0000_0000), offset)
    buffer.writeUInt32BE(value >>> 0, offset + 4)
  })
const floats = (values) =>
  fixed("float8", values, (buffer, value, offset) => buffer.writeDoubleBE(value, offset))

const buffers = (type, values) => {
  let bytes = 0
  for (const value of values) bytes += 4 + value.length
  const buffer = arrayHead(type, values.length, bytes)
  let offset = 20
  for (const value of values) {
    offset = buffer.writeInt32BE(value.length, offset)
    offset += value.copy(buffer, offset)
  }
  return buffer
}
const texts = (values) =>
  buffers(
    "text",
    values.map((value) => Buffer.from(value)),
  )

const parse = (body, projectId) => {
  const headerEnd = body.indexOf(10)
  const start = body.indexOf(10, headerEnd + 1) + 1
  const header = JSON.parse(body.latin1Slice(0, headerEnd))
  const data = body.subarray(start)
  const event = JSON.parse(data.utf8Slice(0, data.length))
  const exception = event.exception.values.at(-1)
  const frame = exception.stacktrace.frames.at(-1)
  const key = createHash("sha1").update(`${exception.type}\n${frame.filename}\n${frame.function}`).digest()
  return {
    projectId,
    key,
    keyText: `${projectId}:${key.latin1Slice(0, 20)}`,
    type: exception.type,
    message: exception.value,
    eventId: header.event_id,
    occurredAt: event.timestamp,
    data,
    response: null,
  }
}

const record = (client, batch) => {
  const groups = new Map()
  for (const report of batch) {
    const group = groups.get(report.keyText)
    if (group === undefined)
      groups.set(report.keyText, { report, count: 1, first: report.occurredAt, last: report.occurredAt })
    else {
      group.count++
      group.first = Math.min(group.first, report.occurredAt)
      group.last = Math.max(group.last, report.occurredAt)
    }
  }
  const each = [...groups.values()]
  return client.query({
    ...RECORD,
    values: [
      bigints(each.map(({ report }) => report.projectId)),
      buffers(
        "bytea",
        each.map(({ report }) => report.key),
      ),
      texts(each.map(({ report }) => report.type)),
      texts(each.map(({ report }) => report.message)),
      bigints(each.map(({ count }) => count)),
      floats(each.map(({ first }) => first)),
      floats(each.map(({ last }) => last)),
      bigints(batch.map(({ projectId }) => projectId)),
      buffers(
        "bytea",
        batch.map(({ key }) => key),
      ),
      buffers(
        "uuid",
        batch.map(({ eventId }) => Buffer.from(eventId, "hex")),
      ),
      floats(batch.map(({ occurredAt }) => occurredAt)),
      buffers(
        "text",
        batch.map(({ data }) => data),
      ),
    ],
  })
}

let queue = []
const idle = []

const answer = (response, status, body) => {
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length })
  response.end(body)
}

const write = async (client) => {
  while (queue.length > 0) {
    const batch = queue.length > MAX_BATCH ? queue.splice(0, MAX_BATCH) : queue
    if (batch === queue) queue = []
    try {
      await record(client, batch)
      for (const { response, eventId } of batch) answer(response, 200, `{"id":"${eventId}"}`)
    } catch (error) {
      console.error(error)
      for (const { response } of batch) answer(response, 503, "{}")
    }
  }
  idle.push(client)
}

const accept = (request, response, body) => {
  try {
    const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
    const report = parse(plain, Number(request.url.split("/", 3)[2]))
    report.response = response
    queue.push(report)
    if (idle.length > 0) setImmediate(() => idle.length > 0 && write(idle.pop()))
  } catch {
    answer(response, 400, "{}")
  }
}

const setUp = new pg.Client(process.env.DATABASE_URL)
await setUp.connect()
// LZ4 is the faster compression, but not every build of the server has it.
const lz4 = await setUp.query(
  "SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)",
)
await setUp.query(schema(lz4.rowCount === 1 ? "lz4" : "pglz"))
await setUp.end()
for (let index = 0; index < CONNECTIONS; index++) {
  const client = new pg.Client(process.env.DATABASE_URL)
  await client.connect()
  idle.push(client)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => accept(request, response, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
})
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
process.on("disconnect", () => process.exit())
process.on("SIGINT", () => {})
