/** A server with memory storage for all tests of a file, and events of applications for it. */
import { Context, Data, Effect, Layer } from "effect"
import { createProject, type Project, recorded } from "../../support/Rest.js"
import * as Server from "../../support/Server.js"
import { type CliOptions, errata, reach } from "./Cli.js"

export class TestServer extends Context.Service<TestServer, Server.Server>()("@errata/cli/test/TestServer") {
  static readonly layer = Layer.effect(TestServer, Server.start(["--storage", "memory"]))
}

/** Runs a command with the server in its environment. */
export const cli = (args: ReadonlyArray<string>, options: CliOptions = {}) =>
  Effect.flatMap(TestServer, (server) =>
    errata(args, { ...options, env: { ...reach(server), ...options.env } }),
  )

class NotTaken extends Data.TaggedError("NotTaken")<{ readonly message: string }> {}

/** Creates a project and records these events in it. */
export const projectWith = (name: string, events: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const project = yield* createProject(server, name)
    yield* record(project, events)
    return project
  })

/** Records events in a project without reports, one after the other, so that their ids are in this order. */
export const record = (project: Project, events: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    for (const [i, event] of events.entries()) {
      yield* send(server, project, event)
      yield* recorded(server, project, i + 1)
    }
  })

/** An error as SDKs send it; each type becomes a group. */
export const failure = (type: string, more: object = {}): object => ({
  level: "error",
  exception: { values: [{ type, value: `${type} happened` }] },
  ...more,
})

// internal

const send = (server: Server.Server, { id, token }: Project, event: object) =>
  Effect.promise(() =>
    fetch(`${server.url}/api/${id}/store/?sentry_key=${token}&sentry_version=7`, {
      method: "POST",
      body: JSON.stringify(event),
    }),
  ).pipe(
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }) => new NotTaken({ message: `The event was answered ${status}` }),
    ),
  )
