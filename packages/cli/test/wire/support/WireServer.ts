/** `errata serve` with the users that the wire suite needs. */
import type { StartedTarget, WireUser } from "@errata/api/wire"
import { Effect, Exit, Scope } from "effect"
import * as Cli from "../../api/support/Cli.js"
import { freePort } from "../../support/FreePort.js"
import * as Server from "../../support/Server.js"

/** Starts a server with the settings of a database. */
export const start = async (
  database: Effect.Effect<Readonly<Record<string, string>>, unknown, Scope.Scope>,
): Promise<StartedTarget> => {
  const scope = await Effect.runPromise(Scope.make())
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const env = await Effect.runPromise(Scope.provide(database, scope))
    await Effect.runPromise(Cli.run(["migrate"], env))
    const people = {
      admin: await user("admin", env),
      member: await user("member", env),
      stranger: await user("stranger", env),
      leaver: await user("leaver", env),
    }
    const server = await Effect.runPromise(Scope.provide(serve(env), scope))
    // A kind of target whose server URL can be set.
    const receiver = { kind: "ntfy", field: "url" }
    return { target: { baseUrl: server.url, ...people, receiver }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// internal

/** Receivers are on loopback. Chats need a base URL, so the port is chosen first and may be taken in the meantime. */
const serve = (env: Readonly<Record<string, string>>) =>
  Effect.flatMap(freePort, (port) =>
    Server.start(["--no-dashboard", "--port", String(port)], {
      ...env,
      ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
      ERRATA_BASE_URL: `http://127.0.0.1:${port}`,
    }),
  ).pipe(Effect.retry({ times: 4 }))

const user = async (name: string, env: Readonly<Record<string, string>>): Promise<WireUser> => {
  const emailAddress = `${name}@example.com`
  const role = name === "admin" ? "admin" : "member"
  const { stderr, stdout } = await Effect.runPromise(
    Cli.run(["users", "create", "--role", role, emailAddress], env),
  )
  const apiKey = /API key \(shown only now\): (\S+)/.exec(stdout)?.[1]
  if (apiKey === undefined) throw new Error(`No key for ${emailAddress}: ${stdout}${stderr}`)
  return { emailAddress, apiKey }
}
