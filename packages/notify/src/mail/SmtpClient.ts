/** Connections to a mail server: a few at a time, kept open for a while, closed with the scope. */
import type { NotificationFailed } from "@errata/core/ports"
import { Clock, Duration, Effect, Exit, Redacted, type Scope, Semaphore } from "effect"
import SMTPConnection, {
  type SMTPConnectionSendInfo,
  type SMTPEnvelope,
} from "nodemailer/lib/smtp-connection"
import type { MailServer } from "./MailSettings.js"
import * as SmtpFailure from "./SmtpFailure.js"

/** Sends mail. */
export interface SmtpClient {
  /** Sends a mail. Returns the status of the response. Interruption closes the connection. */
  readonly send: (envelope: SMTPEnvelope, content: Buffer) => Effect.Effect<number, NotificationFailed>
}

/** Connections are made when mail is sent. */
export const make = Effect.fnUntraced(function* (
  server: MailServer,
): Effect.fn.Return<SmtpClient, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const turns = yield* Semaphore.make(server.maxConnections)
  const open = new Set<SMTPConnection>()
  const idle: Array<Idle> = []

  yield* Effect.addFinalizer(() => Effect.sync(() => open.forEach((connection) => connection.close())))

  const take = Effect.suspend(() => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop())
      if (!found.connection.destroyed) return Effect.succeed(found)
    return Effect.map(connect(server, open), (connection) => ({ connection, sent: 0, since: 0 }))
  })

  /** Ends a connection that no mail has used for a while. */
  const expire = Effect.fnUntraced(function* (kept: Idle) {
    yield* Effect.sleep(idleTime)
    const place = idle.indexOf(kept)
    if (place === -1 || (yield* Clock.currentTimeMillis) - kept.since < Duration.toMillis(idleTime)) return
    idle.splice(place, 1)
    kept.connection.quit()
  })

  const putBack = Effect.fnUntraced(function* ({ connection, sent }: Idle) {
    if (connection.destroyed) return
    if (sent + 1 >= maxMails) return connection.quit()
    const kept = { connection, sent: sent + 1, since: yield* Clock.currentTimeMillis }
    idle.push(kept)
    yield* Effect.forkIn(expire(kept), scope)
  })

  return {
    send: (envelope, content) =>
      turns.withPermits(1)(
        Effect.acquireUseRelease(
          Effect.interruptible(take),
          ({ connection }) => sendOn(connection, envelope, content, server),
          (taken, exit) =>
            Exit.isSuccess(exit) ? putBack(taken) : Effect.sync(() => taken.connection.close()),
        ),
      ),
  }
})

// internal

/** A connection between two mails. */
interface Idle {
  readonly connection: SMTPConnection
  readonly sent: number
  readonly since: number
}

const idleTime = Duration.seconds(20)

/** Servers limit the mails of a connection. */
const maxMails = 50

const timeouts = {
  connectionTimeout: 10_000,
  dnsTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  // A connection that is closed sends nothing more.
  socketCloseTimeout: 0,
}

const connect = (
  server: MailServer,
  open: Set<SMTPConnection>,
): Effect.Effect<SMTPConnection, NotificationFailed> =>
  Effect.callback((resume) => {
    const { credentials, host, isSecure, port, requiresTls, tls } = server
    const connection = new SMTPConnection({
      host,
      port,
      secure: isSecure,
      requireTLS: requiresTls && !isSecure,
      tls: {
        rejectUnauthorized: tls.rejectUnauthorized ?? true,
        minVersion: "TLSv1.2",
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      },
      maxResponseSize: 64 * 1024,
      ...timeouts,
    })
    const fail = (error: SmtpFailure.SmtpError) => {
      // Before closing, since a closed connection is reported as a failure without details.
      resume(Effect.fail(SmtpFailure.ofConnection(error, server)))
      connection.close()
    }
    open.add(connection)
    // It stays: errors of an idle connection have no other receiver.
    connection.on("error", fail)
    connection.on("end", () => {
      open.delete(connection)
      fail({ message: "Connection closed", code: "ECONNECTION" })
    })
    connection.connect((error) => {
      if (error) return fail(error)
      if (credentials === null) return resume(Effect.succeed(connection))
      if (!connection.allowsAuth) {
        connection.close()
        return resume(Effect.fail(SmtpFailure.withoutAuthentication()))
      }
      const { password, user } = credentials
      connection.login({ credentials: { user, pass: Redacted.value(password) } }, (fault) =>
        fault ? fail(fault) : resume(Effect.succeed(connection)),
      )
    })
    return Effect.sync(() => connection.close())
  })

const sendOn = (
  connection: SMTPConnection,
  envelope: SMTPEnvelope,
  content: Buffer,
  server: MailServer,
): Effect.Effect<number, NotificationFailed> =>
  Effect.callback((resume) => {
    const fail = (error: SmtpFailure.SmtpError) => resume(Effect.fail(SmtpFailure.ofSending(error, server)))
    const ended = () => fail({ message: "Connection closed", code: "ECONNECTION" })
    const settled = () => {
      connection.off("end", ended)
      connection.off("error", fail)
    }
    connection.once("error", fail)
    connection.once("end", ended)
    connection.send({ ...envelope, size: content.length }, content, (error, info) => {
      settled()
      if (error) fail(error)
      else resume(Effect.succeed(statusOf(info)))
    })
    return Effect.sync(settled)
  })

const statusOf = (info: SMTPConnectionSendInfo | undefined): number =>
  Number(/^\d{3}/.exec(info?.response ?? "")?.[0] ?? 250)
