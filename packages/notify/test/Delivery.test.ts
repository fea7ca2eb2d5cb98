/** Delivery to real mail servers, and their failures. */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { DateTime, Effect, Fiber, Redacted } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { afterEach, describe, expect, it } from "vitest"
import { certificate } from "./support/certificate.js"
import { failureOf, send, settingsFor, withMail } from "./support/Mailing.js"
import * as MailServer from "./support/MailServer.js"

const password = "s3cret/p@ss word"

const stops: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const start = async (options?: SMTPServerOptions) => {
  const server = await MailServer.start(options)
  stops.push(server.stop)
  return server
}

const withTls: SMTPServerOptions = { ...certificate, disabledCommands: [] }

const login: SMTPServerOptions = {
  authOptional: false,
  onAuth: (auth, _, done) =>
    auth.username === "errata" && auth.password === password
      ? done(null, { user: "errata" })
      : // A server that echoes its input.
        done(Object.assign(new Error(`no such login: ${auth.password}`), { responseCode: 535 })),
}

const urlOf = (port: number, pass = password) =>
  Redacted.make(`smtp://errata:${encodeURIComponent(pass)}@127.0.0.1:${port}`)

/** An error response of the server. */
const answer = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** A server that is driven by hand. */
const raw = async (onSocket: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    onSocket(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  stops.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

/** Responds to each command in order, then stalls. */
const scripted = (lines: ReadonlyArray<string>) => (socket: Socket) => {
  const left = [...lines]
  const next = () => {
    const line = left.shift()
    if (line === "close") socket.destroy()
    else if (line !== undefined) socket.write(`${line}\r\n`)
  }
  next()
  socket.on("data", next)
}

describe("delivery", () => {
  it("sends mail to the server", async () => {
    const server = await start()
    expect(await withMail(settingsFor(server.port), send)).toEqual({ status: 250 })
    expect(server.received).toMatchObject([
      { from: "errata@mail.example.com", to: ["ann@example.com"], isSecure: false },
    ])
  })

  it("sends many at a time over a few connections, and closes them", async () => {
    const server = await start()
    await withMail(settingsFor(server.port, { maxConnections: 2 }), (mail) =>
      Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `person-${index}@example.com`),
        (to) => send(mail, { to }),
        { concurrency: "unbounded", discard: true },
      ),
    )
    expect(server.connections).toMatchObject({ most: 2, total: 2 })
    expect(server.received.map(({ to }) => to[0]).sort()).toEqual(
      Array.from({ length: 20 }, (_, index) => `person-${index}@example.com`).sort(),
    )
    await expect.poll(() => server.connections.open).toBe(0)
  })

  it("sends to domains with other letters than those of ASCII", async () => {
    let commands = ""
    const { port } = await raw((socket) => {
      socket.on("data", (chunk) => {
        commands += chunk
      })
      scripted(["220 hi", "250 hi", "250 ok", "250 ok", "354 go on", "250 done"])(socket)
    })
    await withMail(settingsFor(port), (mail) => send(mail, { to: "ann@bücher.example" }))
    expect(commands).toContain("RCPT TO:<ann@xn--bcher-kva.example>")
  })

  it("makes a new connection after the server closed an idle one", async () => {
    const server = await start()
    await withMail(settingsFor(server.port), (mail) =>
      Effect.gen(function* () {
        yield* send(mail)
        server.hangUp()
        yield* Effect.promise(() => expect.poll(() => server.connections.open).toBe(0))
        yield* send(mail)
      }),
    )
    expect(server.received).toHaveLength(2)
    expect(server.connections.total).toBe(2)
  })
})

describe("TLS", () => {
  it("rejects a self-signed certificate with STARTTLS and with TLS from the start", async () => {
    const upgraded = await start(withTls)
    const secure = await start({ ...certificate, secure: true })
    for (const url of [`smtp://127.0.0.1:${upgraded.port}`, `smtps://127.0.0.1:${secure.port}`]) {
      expect(await failureOf(settingsFor(0, { url: Redacted.make(url) }))).toMatchObject({
        detail: expect.stringMatching(
          /^the TLS connection to the mail server failed: .*self-signed certificate/,
        ),
        isRetryable: true,
        isBounced: false,
      })
    }
    expect([...upgraded.received, ...secure.received]).toEqual([])
  })

  it.each([
    ["any certificate", { rejectUnauthorized: false }],
    ["the certificate of an authority", { ca: certificate.cert }],
  ])("accepts %s if the settings say so", async (_, tls) => {
    const upgraded = await start(withTls)
    const secure = await start({ ...certificate, secure: true })
    await withMail(settingsFor(upgraded.port, { tls }), send)
    await withMail(settingsFor(0, { url: Redacted.make(`smtps://127.0.0.1:${secure.port}`), tls }), send)
    expect([upgraded.received[0]?.isSecure, secure.received[0]?.isSecure]).toEqual([true, true])
  })

  it("sends nothing to a server without TLS if TLS is required", async () => {
    const server = await start()
    expect(await failureOf(settingsFor(server.port, { tls: { required: true } }))).toMatchObject({
      detail: expect.stringMatching(/^the TLS connection to the mail server failed/),
      isRetryable: true,
    })
    expect(server.received).toEqual([])
  })
})

describe("authentication", () => {
  it("signs in with a password that has special characters", async () => {
    const server = await start({ ...withTls, ...login })
    await withMail(settingsFor(0, { url: urlOf(server.port), tls: { ca: certificate.cert } }), send)
    expect(server.received).toHaveLength(1)
  })

  it("reports a wrong password without repeating it", async () => {
    const server = await start({ ...withTls, ...login })
    const failure = await failureOf(
      settingsFor(0, { url: urlOf(server.port, "wrong-password"), tls: { ca: certificate.cert } }),
    )
    expect(failure).toMatchObject({
      detail: "the mail server rejected the user name or the password: 535",
      isRetryable: true,
      status: 535,
    })
    expect(JSON.stringify(failure)).not.toContain("wrong-password")
  })

  it("hides the password in every other answer", async () => {
    const server = await start({
      ...withTls,
      ...login,
      onRcptTo: (_, __, done) =>
        done(answer(554, `5.7.1 no ${password} ${Buffer.from(password).toString("base64")}`)),
    })
    const { detail } = await failureOf(
      settingsFor(0, { url: urlOf(server.port), tls: { ca: certificate.cert } }),
    )
    expect(detail).toBe("the mail server rejected the mail: 554 5.7.1 no [hidden] [hidden]")
  })
})

describe("answers", () => {
  it.each([
    ["550 5.1.1 mailbox does not exist", "bounce"],
    ["550 5.1.10 null MX", "bounce"],
    ["550 5.2.1 mailbox disabled", "bounce"],
    ["550 No such user here", "bounce"],
    ["550 5.7.1 relaying denied", "final"],
    ["550 relay not permitted", "final"],
    ["553 5.1.8 bad sender", "final"],
    ["552 5.2.2 mailbox full", "final"],
    ["554 5.7.1 blocked", "final"],
    ["451 4.7.1 greylisted, try again later", "retry"],
    ["452 too many recipients", "retry"],
  ])("treats %s at RCPT as a %s", async (text, expected) => {
    const server = await start({
      onRcptTo: (_, __, done) => done(answer(Number(text.slice(0, 3)), text.slice(4))),
    })
    const failure = await failureOf(settingsFor(server.port))
    expect(failure).toMatchObject({
      isBounced: expected === "bounce",
      isRetryable: expected === "retry",
      status: Number(text.slice(0, 3)),
    })
    expect(failure.detail).toContain(text)
  })

  it("treats a rejection of the sender or the content as permanent, but not as a bounce", async () => {
    const sender = await start({ onMailFrom: (_, __, done) => done(answer(550, "5.1.1 who are you")) })
    const content = await start({
      onData: (stream, _, done) => {
        stream.on("end", () => done(answer(554, "5.6.0 looks like spam")))
        stream.resume()
      },
    })
    for (const { port } of [sender, content])
      expect(await failureOf(settingsFor(port))).toMatchObject({ isRetryable: false, isBounced: false })
  })

  it("delivers after a server that postponed the mail", async () => {
    let attempts = 0
    const server = await start({
      onRcptTo: (_, __, done) => done(attempts++ === 0 ? answer(451, "4.7.1 try later") : null),
    })
    await withMail(settingsFor(server.port), (mail) =>
      Effect.andThen(Effect.orDie(Effect.flip(send(mail))), send(mail)),
    )
    expect(server.received).toHaveLength(1)
  })

  it("does not send to an address that could inject a command", async () => {
    const server = await start()
    expect(
      await failureOf(settingsFor(server.port), { to: "a@example.com>\r\nRCPT TO:<b@example.com" }),
    ).toMatchObject({ detail: "the address cannot be used", isRetryable: false, isBounced: false })
    expect(server.received).toEqual([])
  })
})

describe("broken servers", () => {
  it("retries if no server listens", async () => {
    const server = await start()
    await server.stop()
    expect(await failureOf(settingsFor(server.port))).toMatchObject({
      detail: "the connection to the mail server failed: ECONNREFUSED",
      isRetryable: true,
      status: null,
    })
  })

  it.each([
    ["before its greeting", ["close"]],
    ["after EHLO", ["220 hi", "close"]],
    ["after MAIL FROM", ["220 hi", "250 hi", "250 ok", "close"]],
    ["within the mail", ["220 hi", "250 hi", "250 ok", "250 ok", "354 go on", "close"]],
  ])("retries after a server that closes %s", async (_, lines) => {
    const { port } = await raw(scripted(lines))
    expect(await failureOf(settingsFor(port))).toMatchObject({
      detail: expect.stringMatching(/^the connection to the mail server failed: /),
      isRetryable: true,
      isBounced: false,
    })
  })

  it("retries after a server that refuses connections for now", async () => {
    const { port } = await raw(scripted(["421 4.3.2 shutting down"]))
    expect(await failureOf(settingsFor(port))).toMatchObject({ isRetryable: true, status: 421 })
  })

  it.each([
    ["connects", [] as ReadonlyArray<string>],
    ["waits for an answer", ["220 hi", "250 hi", "250 ok"]],
  ])("closes the connection when it is interrupted while it %s", async (_, lines) => {
    const { port, sockets } = await raw(scripted(lines))
    await withMail(settingsFor(port), (mail) =>
      Effect.gen(function* () {
        const sending = yield* Effect.forkChild(send(mail))
        yield* Effect.promise(() =>
          expect
            .poll(() => [...sockets].some(({ bytesRead }) => bytesRead > 0 || lines.length === 0))
            .toBe(true),
        )
        yield* Fiber.interrupt(sending)
        // The scope is still open: the interruption alone closes the connection.
        yield* Effect.promise(() => expect.poll(() => sockets.size).toBe(0))
      }),
    )
  })

  it("passes the connection of an interrupted mail to the next one", async () => {
    let first = true
    const { port, sockets } = await raw((socket) => {
      scripted(first ? ["220 hi"] : ["220 hi", "250 hi", "250 ok", "250 ok", "354 go on", "250 done"])(socket)
      first = false
    })
    const isStalled = () => [...sockets].some(({ bytesRead }) => bytesRead > 0)
    const status = await withMail(settingsFor(port, { maxConnections: 1 }), (mail) =>
      Effect.gen(function* () {
        const stalled = yield* Effect.forkChild(send(mail))
        yield* Effect.promise(() => expect.poll(isStalled).toBe(true))
        yield* Fiber.interrupt(stalled)
        return yield* send(mail)
      }),
    )
    expect(status).toEqual({ status: 250 })
  })
})

describe("account mail", () => {
  const account = {
    to: "ann@example.com",
    name: "Ann <b>",
    url: "https://errata.example.com/welcome#token",
    expiresAt: DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-28T08:00:00Z")),
  }

  it("sends invitations and links for new passwords", async () => {
    const server = await start()
    await withMail(settingsFor(server.port), ({ sendAccountMail }) =>
      Effect.orDie(
        Effect.andThen(
          sendAccountMail({ ...account, kind: "invitation", invitedBy: "Ben\r\nBcc: eve@example.com" }),
          sendAccountMail({ ...account, kind: "password_reset" }),
        ),
      ),
    )
    const [invitation, reset] = server.received
    expect(invitation?.mail.subject).toBe("Ben Bcc: eve@example.com invites you to Errata")
    expect(invitation?.to).toEqual(["ann@example.com"])
    expect(MailServer.header(invitation!, "bcc")).toBeUndefined()
    expect(invitation?.mail.text).toContain("Accept the invitation: https://errata.example.com/welcome#token")
    expect(invitation?.mail.html).toContain('href="https://errata.example.com/welcome#token"')
    expect(invitation?.mail.html).toContain("Hello Ann &lt;b&gt;,")
    expect(invitation?.mail.text).toContain("until 28 November 2026 at 08:00 UTC")
    expect(reset?.mail.subject).toBe("Choose a new password for Errata")
    expect(MailServer.header(reset!, "list-unsubscribe")).toBeUndefined()
  })

  it("is sent again after a connection that broke", async () => {
    let attempts = 0
    const { port } = await raw((socket) => {
      const answers = ["220 hi", "250 hi", "250 ok", "250 ok", "354 go on", "250 done"]
      scripted(attempts++ === 0 ? ["220 hi", "close"] : answers)(socket)
    })
    await withMail(settingsFor(port), ({ sendAccountMail }) =>
      Effect.orDie(sendAccountMail({ ...account, kind: "password_reset" })),
    )
    expect(attempts).toBe(2)
  })

  it("fails with the answer of the server", async () => {
    const server = await start({ onRcptTo: (_, __, done) => done(answer(550, "5.1.1 unknown")) })
    const failure = await withMail(settingsFor(server.port), ({ sendAccountMail }) =>
      Effect.orDie(Effect.flip(sendAccountMail({ ...account, kind: "password_reset" }))),
    )
    expect(failure).toMatchObject({
      _tag: "MailFailed",
      detail: "the mail server does not know the address: 550 5.1.1 unknown",
    })
  })
})
