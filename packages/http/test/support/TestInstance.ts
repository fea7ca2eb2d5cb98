/** A complete instance in memory behind a real server, with an admin, a member and two projects. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  type Project,
  Projects,
  RecorderSignal,
  type Role,
  Services,
  Users,
  WebAddress,
} from "@errata/core"
import { Password, Recorder, RecorderWorker } from "@errata/core/internal"
import {
  Keyring,
  Mailer,
  type NotificationTarget,
  NotificationTargets,
  type PayloadDecoder,
  UserStore,
} from "@errata/core/ports"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer, Logger, ManagedRuntime, Option, Redacted } from "effect"
import { ErrataServer, type ErrataServerOptions, WebHandler } from "../../src/index.js"

export const adminKey = "errata_admin_0123456789abcdef"
export const memberKey = "errata_member_0123456789abcdef"

interface Call {
  readonly method?: string
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly json: any
}

export interface TestInstance {
  readonly url: string
  readonly port: number
  readonly mine: Project
  readonly theirs: Project
  readonly memberId: number
  readonly logs: ReadonlyArray<string>
  readonly run: <A, E>(effect: Effect.Effect<A, E, TestServices>) => Promise<A>
  /** Sends a request to the REST API, as the admin by default. */
  readonly api: (path: string, call?: Call) => Promise<Answer>
  readonly fetch: (path: string, init?: RequestInit) => Promise<Answer>
  /** Sends an event to `mine` and records it. Returns the details of the report. */
  readonly report: (event: Record<string, unknown>, project?: Project) => Promise<Answer["json"]>
  readonly record: () => Promise<void>
  readonly stop: () => Promise<void>
}

type TestServices = Services.Services | Services.Stores | PayloadDecoder | Recorder | ErrataServer

/** A low cost, since the passwords protect nothing. */
const cheapPasswords = Layer.succeed(Password.Cost, { N: 2, r: 8, p: 1 })

/** The listener of a Node server, or the fetch-style handler. */
export type Transport = "node" | "web"

/** To send account mail, an instance needs a mailer and a base URL. */
interface StartOptions extends Partial<ErrataServerOptions> {
  readonly transport?: Transport
  readonly mailer?: typeof Mailer.Service
  readonly targets?: ReadonlyArray<NotificationTarget>
}

export const start = async (
  options: StartOptions = {},
  stores: Layer.Layer<Services.Stores> = MemoryStorage.layer,
): Promise<TestInstance> => {
  const { mailer = null, targets = [], transport = "node", ...http } = options
  const logs: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => logs.push(line))])
  const keyring = Layer.succeed(
    Keyring.Keyring,
    Option.getOrThrow(Keyring.parseKeys("0123456789abcdef".repeat(4))),
  )
  const { baseUrl } = http
  const mail = Layer.merge(
    Layer.succeed(Mailer, mailer),
    baseUrl === undefined ? Layer.empty : Layer.succeed(WebAddress, baseUrl),
  )
  const services = Layer.merge(Services.layer, Recorder.Default).pipe(
    Layer.provideMerge(Layer.mergeAll(stores, SentryPayloadDecoder.layer(), keyring, mail)),
  )
  const runtime = ManagedRuntime.make(
    ErrataServer.layer({ host: "127.0.0.1", port: 0, ...http }).pipe(
      Layer.provideMerge(services),
      Layer.provideMerge(
        Layer.mergeAll(
          RecorderSignal.Default,
          logger,
          cheapPasswords,
          Layer.succeed(NotificationTargets, targets),
        ),
      ),
    ),
  )
  const { port } = await runtime.runPromise(ErrataServer)
  const url = `http://127.0.0.1:${port}`
  // The handler serves in place of the server, on the same services.
  const web = WebHandler.fromLayer(Layer.merge(Layer.succeedContext(await runtime.context()), logger), http)
  const handle = transport === "web" ? web.handler : (request: Request) => fetch(request)

  const call = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await handle(new Request(url + path, init))
    const text = await response.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {}
    return { status: response.status, headers: response.headers, text, json }
  }

  const api: TestInstance["api"] = (path, { body, headers, key = adminKey, method = "GET" } = {}) =>
    call(`/api/service/v1${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })

  const seeded = await runtime.runPromise(
    Effect.gen(function* () {
      const users = yield* Users
      const projects = yield* Projects
      const administer = yield* AccessPolicy.instance("users.administer")
      const creation = yield* AccessPolicy.instance("projects.create")
      const create = (name: string, role: Role, key: string) =>
        users.create(administer, {
          name,
          role,
          emailAddress: `${name}@example.com`,
          apiKey: Redacted.make(key),
        })
      yield* create("admin", "admin", adminKey)
      const { user } = yield* create("member", "member", memberKey)
      const mine = yield* projects.create(creation, { name: "mine", platform: "node" })
      const theirs = yield* projects.create(creation, { name: "theirs" })
      yield* (yield* UserStore).addMembership(user.id, mine.id)
      return { mine, theirs, memberId: user.id }
    }).pipe(Effect.provideService(CurrentActor, Actor.System())),
  )

  const record = () => runtime.runPromise(Effect.asVoid(RecorderWorker.drain))

  return {
    ...seeded,
    url,
    port,
    logs,
    run: (effect) => runtime.runPromise(effect),
    fetch: call,
    api,
    record,
    report: async (event, project = seeded.mine) => {
      const sent = await call(`/api/${project.id}/store/?sentry_key=${project.token}`, {
        method: "POST",
        body: JSON.stringify(event),
      })
      if (sent.status !== 200) throw new Error(`${sent.status} ${sent.text}`)
      await record()
      return (await api(`/projects/${project.id}/reports/${sent.json.id}`)).json
    },
    stop: () => web.dispose().then(() => runtime.dispose()),
  }
}
