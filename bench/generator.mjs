/**
 * The load generator, a process of its own that is controlled over IPC. It shares the machine with the measured server,
 * so it must be cheap. Requests are serialized once and patched in place, all plain sockets share one read buffer, and
 * only the status and length of responses are parsed.
 *
 * Messages in: `prepare`, then any number of `run`. Each is answered by one message.
 */
import { connect } from "node:net"
import { makeTemplates } from "./lib/events.mjs"

/** Time to wait for responses after the last request was due, in ms. */
const GRACE = 30_000

const HEAD_END = Buffer.from("\r\n\r\n")
const CHUNKS_END = Buffer.from("0\r\n\r\n")
const NONE = Buffer.alloc(0)
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

let target
let templates = []
let nextTemplate = 0

const takeTemplate = () => {
  let template
  do {
    template = templates[nextTemplate]
    nextTemplate = nextTemplate + 1 === templates.length ? 0 : nextTemplate + 1
  } while (template.busy)
  template.busy = true
  return template
}

/** Length of the first response in `buffer` in bytes, or 0 while it is incomplete. */
const answerLength = (buffer) => {
  const end = buffer.indexOf(HEAD_END)
  if (end < 0) return 0
  const start = end + HEAD_END.length
  const head = buffer.latin1Slice(0, start)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (length !== null) {
    const whole = start + Number(length[1])
    return buffer.length < whole ? 0 : whole
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return start
  const last = buffer.indexOf(CHUNKS_END, start)
  return last < 0 ? 0 : last + CHUNKS_END.length
}

/** A keep-alive connection with at most one request in flight. It reconnects when it is lost. */
class Connection {
  template = null
  dueAt = 0
  rest = NONE
  open = false
  closing = false

  constructor(run) {
    this.run = run
    this.connect()
  }

  connect() {
    this.socket = connect({
      host: target.host,
      port: target.port,
      noDelay: true,
      onread: { buffer: readBuffer, callback: (bytes) => this.read(bytes) },
    })
    this.socket.on("connect", () => {
      this.open = true
      this.run.idle(this)
    })
    this.socket.on("error", (error) => this.run.failure(error.code ?? error.message))
    this.socket.on("close", () => this.lost())
  }

  send(dueAt) {
    this.dueAt = dueAt
    this.template = takeTemplate()
    this.socket.write(this.template.refresh())
  }

  read(bytes) {
    // Bytes without a request in flight: the server closed an idle connection.
    if (this.template === null) {
      this.socket.destroy()
      return true
    }
    let buffer = readBuffer.subarray(0, bytes)
    if (this.rest.length > 0) buffer = Buffer.concat([this.rest, buffer])
    const length = answerLength(buffer)
    if (length === 0) {
      this.rest = Buffer.from(buffer)
      return true
    }
    this.rest = NONE
    this.release()
    this.run.answered(this, buffer, length)
    return true
  }

  release() {
    if (this.template !== null) this.template.busy = false
    this.template = null
  }

  lost() {
    const underWay = this.template !== null
    this.open = false
    this.rest = NONE
    this.release()
    this.run.lost(this, underWay)
  }

  end() {
    this.closing = true
    this.socket.destroy()
  }
}

/** Common to both kinds of load: counters, latencies, reconnects and the end of the run. */
class Run {
  sent = 0
  accepted = 0
  unknown = 0
  refused = {}
  failures = {}
  sample = null
  firstAt = 0
  lastAt = 0
  latencies = new Float64Array(1 << 16)
  underWay = 0
  reconnects = 0
  started = false
  finished = false

  constructor(options, resolve) {
    this.options = options
    this.resolve = resolve
    this.usage = process.cpuUsage()
    this.connections = Array.from({ length: options.connections }, () => new Connection(this))
    // Ends the run even if the server never accepts a connection.
    this.watchdog = setTimeout(() => this.finish(), options.seconds * 1000 + GRACE)
  }

  start() {
    this.started = true
    this.firstAt = performance.now()
    this.deadline = this.firstAt + this.options.seconds * 1000
  }

  send(connection, dueAt) {
    this.sent++
    this.underWay++
    connection.send(dueAt)
  }

  answered(connection, buffer, length) {
    const now = performance.now()
    this.lastAt = now
    this.underWay--
    const status = buffer.latin1Slice(9, 12)
    if (status === "200") {
      if (this.accepted === this.latencies.length) {
        const larger = new Float64Array(this.accepted * 2)
        larger.set(this.latencies)
        this.latencies = larger
      }
      this.latencies[this.accepted++] = now - connection.dueAt
    } else {
      this.refused[status] = (this.refused[status] ?? 0) + 1
      this.sample ??= buffer.latin1Slice(0, Math.min(length, 1000))
    }
    this.idle(connection, now)
  }

  failure(code) {
    if (!this.finished) this.failures[code] = (this.failures[code] ?? 0) + 1
  }

  lost(connection, underWay) {
    if (this.finished || connection.closing) return
    if (underWay) {
      this.underWay--
      this.unknown++
      this.failure("connection lost with a request under way")
    }
    if (this.reconnects++ < 10 * this.options.connections) setTimeout(() => connection.connect(), 50)
    else this.finish()
  }

  finish() {
    if (this.finished) return
    this.finished = true
    clearTimeout(this.watchdog)
    for (const connection of this.connections) connection.end()
    if (this.underWay > 0) this.failures["no answer in time"] = this.underWay
    const sorted = this.latencies.subarray(0, this.accepted).sort()
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
    const { user, system } = process.cpuUsage(this.usage)
    this.resolve({
      sent: this.sent,
      accepted: this.accepted,
      unknown: this.unknown + this.underWay,
      refused: this.refused,
      failures: this.failures,
      sample: this.sample,
      startedAt: performance.timeOrigin + this.firstAt,
      seconds: Math.max(0, this.lastAt - this.firstAt) / 1000,
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      max: sorted.at(-1) ?? null,
      cpuSeconds: (user + system) / 1e6,
    })
  }
}

/** Each connection sends its next request as soon as it has its response. */
class ClosedLoop extends Run {
  opened = 0
  count = this.options.count ?? Number.POSITIVE_INFINITY

  idle(connection, now = performance.now()) {
    if (!this.started) {
      if (++this.opened < this.connections.length) return
      this.start()
      for (const each of this.connections) if (each.open) this.send(each, this.firstAt)
    } else if (now < this.deadline && this.sent < this.count) this.send(connection, now)
    else if (this.underWay === 0) this.finish()
  }
}

/** Requests are due at a fixed rate, however slow the server is. Latency counts from the due time. */
class OpenLoop extends Run {
  free = []
  due = 0

  idle(connection) {
    this.free.push(connection)
    if (this.started) this.pump()
    else if (this.free.length === this.connections.length) {
      this.start()
      this.total = Math.round(this.options.rate * this.options.seconds)
      this.pump()
    }
  }

  lost(connection, underWay) {
    const index = this.free.indexOf(connection)
    if (index >= 0) this.free.splice(index, 1)
    super.lost(connection, underWay)
  }

  pump() {
    const { rate } = this.options
    const passed = performance.now() - this.firstAt
    const dueUntilNow = Math.min(this.total, Math.floor((passed / 1000) * rate) + 1)
    while (this.due < dueUntilNow && this.free.length > 0) {
      // Round robin: the server would close a connection that stays idle.
      this.send(this.free.shift(), this.firstAt + (this.due++ * 1000) / rate)
    }
    if (this.due < this.total) this.timer ??= setTimeout(() => this.tick(), 1)
    else if (this.underWay === 0) this.finish()
  }

  tick() {
    this.timer = null
    if (!this.finished) this.pump()
  }
}

const run = (options) =>
  new Promise((resolve) => {
    if (options.rate === undefined) new ClosedLoop(options, resolve)
    else new OpenLoop(options, resolve)
  })

process.on("message", async (message) => {
  if (message.kind === "prepare") {
    const { host, port, eventKb, projects } = message
    target = { host, port }
    const made = makeTemplates({ eventKb, projects, host: `${host}:${port}` })
    templates = made.templates
    process.send({ bodyBytes: made.bodyBytes, wireBytes: made.wireBytes })
  } else process.send(await run(message))
})
process.on("disconnect", () => process.exit())
// Ctrl-C reaches the whole process group; the parent decides when this process ends.
process.on("SIGINT", () => {})
