/** A running server with the dashboard, and test data. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { expect } from "vitest"
import { envelopeOf, prepare } from "../../../cli/test/data/support/Sending.js"
import * as Rest from "../../../cli/test/support/Rest.js"
import * as Server from "../../../cli/test/support/Server.js"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import { freePort } from "../../../storage-postgres/test/support/port.js"
import { eventually } from "./Reader.js"

export type Event = Readonly<Record<string, unknown>>

export type Storage = "memory" | "PostgreSQL"

/** A server in its own process. */
export class Site {
  private constructor(
    readonly server: Server.Server,
    readonly stop: () => Promise<void>,
  ) {}

  static readonly start = async (
    storage: Storage = "memory",
    env: Readonly<Record<string, string>> = {},
  ): Promise<Site> => {
    const scope = Effect.runSync(Scope.make())
    const starting =
      storage === "memory"
        ? Server.start(["--storage", "memory"], env)
        : Effect.flatMap(freshDatabase, (url) =>
            Server.start([], { ...env, DATABASE_URL: Redacted.value(url) }),
          )
    const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
    const server = await Effect.runPromise(Scope.provide(starting, scope))
    return new Site(server, stop)
  }

  /** A server in memory that knows its address, which notifications need for their links. */
  static readonly startAddressed = async (env: Readonly<Record<string, string>> = {}): Promise<Site> => {
    const port = await freePort()
    const scope = Effect.runSync(Scope.make())
    const starting = Server.start(["--storage", "memory", "--port", String(port)], {
      ...env,
      ERRATA_BASE_URL: `http://127.0.0.1:${port}`,
    })
    const server = await Effect.runPromise(Scope.provide(starting, scope))
    return new Site(server, () => Effect.runPromise(Scope.close(scope, Exit.void)))
  }

  get url(): string {
    return this.server.url
  }

  /** Calls the REST API as the admin of the command line. */
  async api<A>(path: string, method = "GET", body?: object): Promise<A> {
    const response = await fetch(`${this.url}/api/service/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.server.apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return (text === "" ? undefined : JSON.parse(text)) as A
  }

  /** A project with these events, all of them recorded. */
  async project(name: string, events: ReadonlyArray<Event> = []): Promise<Rest.Project> {
    const project = await Effect.runPromise(Rest.createProject(this.server, name))
    for (const event of events) await this.send(project, event)
    await Effect.runPromise(Rest.recorded(this.server, project, events.length))
    return project
  }

  async send(project: Rest.Project, event: Event): Promise<void> {
    await this.sendEnvelope(project, envelopeOf(prepare(event)))
  }

  /** Adds a dead letter, for a server that does not wait for events: an attachment of an event that does not exist. */
  async addDeadLetter(project: Rest.Project): Promise<void> {
    const before = await this.deadLetters()
    const header = JSON.stringify({ event_id: crypto.randomUUID().replaceAll("-", "") })
    await this.sendEnvelope(project, `${header}\n{"type":"attachment","filename":"a.txt"}\na\n`)
    await eventually(async () => expect(await this.deadLetters()).toBe(before + 1))
  }

  async deadLetters(): Promise<number> {
    const { dead_letters: all } = await this.api<{ readonly dead_letters: ReadonlyArray<object> }>(
      "/dead_letters",
    )
    return all.length
  }

  groups(project: Rest.Project): Promise<ReadonlyArray<Rest.Group>> {
    return Effect.runPromise(Rest.groups(this.server, project))
  }

  /** Creates a user, and returns the link that signs them in once. */
  async invite(role: "admin" | "member", projects: ReadonlyArray<Rest.Project> = []): Promise<Invited> {
    const { id, sign_in_link: link } = await this.api<{ readonly id: number; readonly sign_in_link: string }>(
      "/users",
      "POST",
      { name: `Some ${role}`, email_address: `${role}-${crypto.randomUUID()}@example.com`, role },
    )
    for (const project of projects) {
      await this.api(`/projects/${project.id}/users`, "POST", { user_id: id })
    }
    return { id, link }
  }

  private async sendEnvelope({ id, token }: Rest.Project, body: Buffer | string): Promise<void> {
    const response = await fetch(`${this.url}/api/${id}/envelope/?sentry_key=${token}`, {
      method: "POST",
      body: new Uint8Array(Buffer.from(body)),
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  }
}

export interface Invited {
  readonly id: number
  readonly link: string
}

// internal
