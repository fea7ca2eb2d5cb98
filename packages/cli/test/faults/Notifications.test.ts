/** Notifications by mail to a member and to a chat, even if the server is killed before they arrive. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as MailServer from "../../../notify/test/support/MailServer.js"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Cli from "../api/support/Cli.js"
import { freePort } from "../support/FreePort.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Receiver from "./support/Receiver.js"
import { until } from "./support/Wait.js"

/** A mail server that can hold mail back. Messages that it has not accepted are lost. */
const mailServer = Effect.gen(function* () {
  let isHolding = false
  let held = 0
  const server = yield* Effect.acquireRelease(
    Effect.promise(() =>
      MailServer.start({
        allowInsecureAuth: true,
        onAuth: ({ username = "" }, _, done) => done(null, { user: username }),
        onRcptTo: (_, __, done) => {
          // The sender waits for a response.
          if (isHolding) held++
          else done()
        },
      }),
    ),
    ({ stop }) => Effect.promise(stop),
  )
  return {
    ...server,
    held: () => held,
    hold: () => {
      isHolding = true
    },
    answer: () => {
      isHolding = false
    },
  }
})

const report = (server: Server.Server, project: Instance.Project, index: number) =>
  Effect.promise(async () => {
    const body = Events.envelope(Events.eventId("c0000071", index), index)
    expect((await Http.send(Instance.envelopeUrl(server, project), { body })).status).toBe(200)
  })

const password = "correct-horse"

/** A server that sends mail to this port. */
const withMail = (mailPort: number, port: number, args: ReadonlyArray<string>) => {
  const baseUrl = `http://127.0.0.1:${port}`
  const start = Server.start([...args, "--port", String(port)], {
    ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
    ERRATA_BASE_URL: baseUrl,
    ERRATA_SMTP_URL: `smtp://errata:${password}@127.0.0.1:${mailPort}`,
    ERRATA_MAIL_FROM: "Errata <errata@example.com>",
  })
  return { baseUrl, start }
}

describe("notifications of a running server", () => {
  it.live("reach a member by mail and a chat after the server was killed before sending", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const mail = yield* mailServer
      const chat = yield* Receiver.make
      const port = yield* freePort
      const { baseUrl, start } = withMail(mail.port, port, ["--data-dir", dataDir])
      const first = yield* start
      const project = yield* Instance.firstProject(first)

      // The command reports that the invitation was sent by mail, and the mail contains the same link.
      const env = { ...Cli.reach(first), ERRATA_PROJECT: String(project.id) }
      const created = yield* Cli.errata(["users", "create", "ada@example.com", "--name", "Ada"], { env })
      expect([created.code, created.stderr]).toEqual([0, ""])
      expect(created.stdout).toMatch(/^Sent by mail +yes$/m)
      yield* until("the invitation arrives", () => mail.received.length === 1)
      const [invitation] = mail.received
      expect(invitation?.to).toEqual(["ada@example.com"])
      const link = /^Sign-in link +(\S+)$/m.exec(created.stdout)![1]!
      expect(link.startsWith(`${baseUrl}/sign_in/link?token=`)).toBe(true)
      expect(invitation?.mail.text).toContain(link)

      yield* Cli.errata(["members", "add", "ada@example.com"], { env })
      const chatUrl = chat.url.replace(/hook$/, "hooks/abcdef")
      const target = yield* Cli.errata(["targets", "create", "mattermost", "#alerts", "--with-secrets"], {
        env,
        input: `${chatUrl}\n`,
      })
      expect([target.code, target.stderr]).toEqual([0, ""])
      expect(target.stdout).not.toContain("abcdef")

      mail.hold()
      chat.hold()
      yield* report(first, project, 0)
      yield* until("the chat is told", () => chat.open().length === 1)
      yield* until("the mail server is told", () => mail.held() >= 1)
      expect(yield* Effect.promise(() => first.end("SIGKILL"))).toBe(null)
      mail.answer()
      chat.answer()

      const second = yield* start
      yield* until("the mail arrives", () => mail.received.length > 1)
      yield* until("the message arrives", () => chat.received.length > 1)
      const notice = mail.received.at(-1)!
      expect(notice.to).toEqual(["ada@example.com"])
      expect(notice.mail.subject).toContain("Error0")
      const [group] = yield* Instance.groupsOf(second, project)
      expect(notice.mail.html).toContain(`${baseUrl}/projects/${project.id}/groups/${group!.id}`)
      expect(MailServer.header(notice, "list-unsubscribe")).toMatch(
        new RegExp(`^<${baseUrl}/unsubscribe/[^/>]+>$`),
      )
      // The chat received the killed server's message twice, with the same content.
      expect(new Set(chat.received.map(({ body }) => body)).size).toBe(1)
      expect(chat.received[0]!.body).toContain("Error0")

      // A test message reaches the chat at once, and the history lists all messages.
      const env2 = { ...env, ...Cli.reach(second) }
      const id = /^Target +(\d+)$/m.exec(target.stdout)![1]!
      const tested = yield* Cli.errata(["notifications", "test", id], { env: env2 })
      expect([tested.code, tested.stderr]).toEqual([0, ""])
      expect(tested.stdout).toMatch(/^Status +succeeded$/m)
      yield* until("the history has all of it", async () => {
        const { body } = await Instance.call(second, `/projects/${project.id}/notifications`)
        const { notifications } = JSON.parse(body) as { notifications: ReadonlyArray<{ status: string }> }
        return notifications.length === 3 && notifications.every(({ status }) => status === "succeeded")
      })
      const health = yield* Instance.get<{ readonly mail: object }>(second, "/health/details")
      expect(health.mail).toMatchObject({ set_up: true })
      for (const server of [first, second]) {
        expect(server.output()).not.toMatch(/correct-horse|errata-link_|abcdef|ada@example\.com/)
      }
    }),
  )

  it.live("go out once from a server of several processes", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const mail = yield* mailServer
      const { start } = withMail(mail.port, yield* freePort, ["--database-url", url, "--processes", "2"])
      const server = yield* start
      const project = yield* Instance.firstProject(server)
      const env = { ...Cli.reach(server), ERRATA_PROJECT: String(project.id) }
      for (const args of [
        ["users", "create", "ada@example.com", "--name", "Ada"],
        ["members", "add", "ada@example.com"],
      ]) {
        expect((yield* Cli.errata(args, { env })).code).toBe(0)
      }
      const groups = 10
      // On separate connections, which any of the processes may accept.
      for (let index = 0; index < groups; index++) yield* report(server, project, index)
      yield* until("all mail has been sent", async () => {
        const { body } = await Instance.call(server, `/projects/${project.id}/notifications`)
        const { notifications } = JSON.parse(body) as { notifications: ReadonlyArray<{ status: string }> }
        return notifications.filter(({ status }) => status === "succeeded").length === groups
      })
      const subjects = mail.received
        .map(({ mail }) => mail.subject)
        .filter((text) => /Error\d/.test(text ?? ""))
      expect(subjects).toHaveLength(groups)
      expect(new Set(subjects).size).toBe(groups)
    }),
  )
})
