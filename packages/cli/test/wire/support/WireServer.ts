/** `errata serve` with the people that the wire suite works with. */
import type { StartedTarget, WireUser } from "@errata/testing/wire"
import { Effect, Exit, Scope } from "effect"
import * as Server from "../../support/Server.js"

/** Starts a server on a storage; `args` and `env` name it to every command. */
export const start = async (
  storage: Effect.Effect<Storage, unknown, Scope.Scope>,
): Promise<StartedTarget> => {
  const scope = await Effect.runPromise(Scope.make())
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const { args, env } = await Effect.runPromise(Scope.provide(storage, scope))
    // An embedded database has one owner at a time: first the people, then the server.
    await Server.run(["migrate", ...args], env)
    const people = {
      admin: await user("admin", args, env),
      member: await user("member", args, env),
      stranger: await user("stranger", args, env),
      leaver: await user("leaver", args, env),
    }
    const { url } = await Effect.runPromise(
      Scope.provide(Server.start([...args, "--no-dashboard"], env), scope),
    )
    return { target: { baseUrl: url, ...people }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export interface Storage {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

// internal

const user = async (
  name: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
): Promise<WireUser> => {
  const emailAddress = `${name}@example.com`
  const { stdout, stderr } = await Server.run(
    ["users", "create", ...args, "--role", name === "admin" ? "admin" : "member", emailAddress],
    env,
  )
  const apiKey = /API key \(shown only now\): (\S+)/.exec(stdout)?.[1]
  if (apiKey === undefined) throw new Error(`No key for ${emailAddress}: ${stdout}${stderr}`)
  return { emailAddress, apiKey }
}
