import { statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Expect from "./support/Expect.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Queue from "./support/Queue.js"
import * as Receiver from "./support/Receiver.js"
import { until } from "./support/Wait.js"

interface Hook {
  readonly id: number
  readonly secret: string
}

interface Delivery {
  readonly status: string
  readonly attempts: number
  readonly response_status: number | null
}

/** Receivers listen on loopback. */
const reachable = { ERRATA_ALLOW_PRIVATE_ADDRESSES: "true" }

/** Sends a request that must succeed. Returns its JSON, or null without a body. */
const change = <A = null>(server: Server.Server, method: string, path: string, body?: object) =>
  Effect.promise(async () => {
    const answer = await Instance.call(server, path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`)
    return (answer.body === "" ? null : JSON.parse(answer.body)) as A
  })

const createHook = (server: Server.Server, project: Instance.Project, receiver: Receiver.Receiver) =>
  change<Hook>(server, "POST", `/projects/${project.id}/webhooks`, {
    url: receiver.url,
    events: ["group.created", "group.resolved", "group.unresolved"],
  })

/** Sends one error per group, so that each creates a group. */
const sendErrors = (server: Server.Server, project: Instance.Project, source: string) =>
  Effect.promise(async () => {
    for (let index = 0; index < Events.groups; index++) {
      const body = Events.envelope(Events.eventId(source, index), index)
      expect((await Http.send(Instance.envelopeUrl(server, project), { body })).status).toBe(200)
    }
  })

const resolve = (server: Server.Server, project: Instance.Project, groups: ReadonlyArray<Instance.Group>) =>
  Effect.forEach(groups, ({ id }) => change(server, "POST", `/projects/${project.id}/groups/${id}/resolve`))

const tryHook = (server: Server.Server, project: Instance.Project, { id }: Hook) =>
  change<Delivery>(server, "POST", `/projects/${project.id}/webhooks/${id}/test`)

/** Throws unless the message is signed with the secret. */
const verify = ({ secret }: Hook, { body, headers }: Receiver.Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

const distinct = (texts: ReadonlyArray<string>) => [...new Set(texts)].toSorted()

describe("webhooks of running servers", () => {
  it.live("receive all events after a node with leases is killed", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const receiver = yield* Receiver.make
      const start = Server.start(["--database-url", Redacted.value(url)], {
        ...reachable,
        ERRATA_WEBHOOKS_ATTEMPT_TIMEOUT: "5 seconds",
      })
      const [killed, left] = yield* Effect.all([start, start], { concurrency: 2 })
      const project = yield* Instance.firstProject(left)
      const hook = yield* createHook(left, project, receiver)
      receiver.hold()
      yield* sendErrors(killed, project, "c0000051")
      yield* Expect.recorded(url)
      // A node sends at most two at a time to a receiver that has not responded yet, so three are from both nodes.
      yield* until("both nodes hold deliveries", () => receiver.open().length >= 3)
      const groups = yield* Instance.groupsOf(left, project)
      expect(groups).toHaveLength(Events.groups)
      yield* resolve(killed, project, groups)
      const before = receiver.abandoned.length
      expect(yield* Effect.promise(() => killed.end("SIGKILL"))).toBe(null)
      yield* until("its requests end", () => receiver.abandoned.length > before)
      receiver.answer()
      yield* sendErrors(left, project, "c0000052")

      const expected = groups.flatMap(({ id }) =>
        ["created", "resolved", "unresolved"].map((event) => `group.${event} ${id}`),
      )
      yield* until(
        "everything has come",
        () => distinct(receiver.received.map(Receiver.told)).length >= expected.length,
      )
      expect(distinct(receiver.received.map(Receiver.told))).toEqual(expected.toSorted())
      for (const one of receiver.received) verify(hook, one)
      yield* until("all of it is written down", async () => {
        const [row] = await Effect.runPromise(
          Queue.query<{ readonly count: number }>(
            url,
            "SELECT count(*)::integer AS count FROM errata.deliveries WHERE status = 'succeeded'",
          ),
        )
        return row!.count === expected.length
      })
      // The other node repeated the killed node's deliveries under the same ids: one message per event.
      const messages = distinct(receiver.received.map(Receiver.messageId))
      expect(messages).toHaveLength(expected.length)
      for (const one of receiver.abandoned) {
        const id = Receiver.messageId(one)
        const times = receiver.received.filter((other) => Receiver.messageId(other) === id)
        expect(times.length).toBeGreaterThan(1)
      }
    }),
  )

  it.live("receive events from workers only, not from a web node", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const receiver = yield* Receiver.make
      const storage = ["--database-url", Redacted.value(url)]
      const web = yield* Server.start(["--roles", "web", ...storage], {
        ...reachable,
        ERRATA_WEBHOOKS_ATTEMPT_TIMEOUT: "100 millis",
      })
      const project = yield* Instance.firstProject(web)
      const hook = yield* createHook(web, project, receiver)
      // Wait until the web node has looked for due deliveries; it must not send any.
      expect(yield* tryHook(web, project, hook)).toMatchObject({ status: "pending", attempts: 0 })
      expect(receiver.received).toEqual([])

      yield* Server.startWorker(storage, reachable)
      // Deliveries are at least once.
      const messages = () => distinct(receiver.received.map(Receiver.messageId)).length
      yield* until("what waited was sent", () => messages() === 1)
      expect(verify(hook, receiver.received[0]!)).toMatchObject({ event: "webhook.test" })
      yield* sendErrors(web, project, "c0000053")
      yield* until("so was what happened", () => messages() === 1 + Events.groups)
    }),
  )

  it.live(
    "are signed with the same secrets after a restart, with the key next to the embedded database",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* Folder.temporary, "data")
        const receiver = yield* Receiver.make
        const start = Server.start(["--data-dir", dataDir], { ...reachable, ERRATA_ENCRYPTION_KEY: "" })
        const first = yield* start
        const project = yield* Instance.firstProject(first)
        const hook = yield* createHook(first, project, receiver)
        const key = () => statSync(join(dataDir, "encryption-key"))
        const made = key()
        expect(made.mode & 0o777).toBe(0o600)
        yield* Effect.promise(() => first.end("SIGTERM"))

        const second = yield* start
        expect(yield* tryHook(second, project, hook)).toMatchObject({
          status: "succeeded",
          response_status: 204,
        })
        expect(verify(hook, receiver.received[0]!)).toMatchObject({ event: "webhook.test" })
        expect([key().ino, key().mtimeMs]).toEqual([made.ino, made.mtimeMs])
      }),
  )

  it.live("make a server unready if its key is new, until it also has the former key", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const receiver = yield* Receiver.make
      const storage = ["--database-url", Redacted.value(url)]
      const answers = (server: Server.Server, answer: string) =>
        until(answer, async () => (await Http.send(`${server.url}/ready`)).body === answer)
      const first = yield* Server.start(storage, reachable)
      const hook = yield* createHook(first, yield* Instance.firstProject(first), receiver)
      yield* answers(first, "ready")
      yield* Effect.promise(() => first.end("SIGTERM"))

      const other = Buffer.alloc(32, "other").toString("base64")
      const wrong = { ...reachable, ERRATA_ENCRYPTION_KEY: other }
      const second = yield* Server.start(storage, wrong)
      yield* answers(second, "not ready")
      // Only requests evaluate the checks, and on a busy machine one may time out.
      yield* until("the log says why", async () => {
        await Http.send(`${second.url}/ready`)
        return second.stderr().includes("Not ready: encryption_key_invalid")
      })
      yield* until("the status says why", async () => {
        const { code, stdout } = await Server.run(
          ["status", "--json", ...storage, "--url", second.url],
          wrong,
        )
        expect(code).toBe(1)
        const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<{ readonly code: string }> }
        return checks.some((check) => check.code === "encryption_key_invalid")
      })
      yield* Effect.promise(() => second.end("SIGTERM"))

      const both = { ...reachable, ERRATA_ENCRYPTION_KEY: `${other},${Server.encryptionKey}` }
      const third = yield* Server.start(storage, both)
      yield* answers(third, "ready")
      const project = yield* Instance.firstProject(third)
      expect(yield* tryHook(third, project, hook)).toMatchObject({ status: "succeeded" })
      expect(verify(hook, receiver.received[0]!)).toMatchObject({ event: "webhook.test" })
    }),
  )
})
