/** `errata status` and its options. The checks are loaded when the command runs. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { connectionOptions } from "./api/ApiOptions.js"
import { knownUrl } from "./api/Connection.js"
import { serverOptions } from "./Serve.js"
import * as ServedAddress from "./ServedAddress.js"
import { type ServerFlags, serverChoice } from "./ServerChoice.js"
import * as ServerSettings from "./ServerSettings.js"
import * as Setting from "./Setting.js"
import type { StorageChoice } from "./StorageOptions.js"
import { toggle } from "./Toggle.js"

const { roles: _, ...addressAndStorage } = serverOptions

export const status = Command.make(
  "status",
  {
    ...addressAndStorage,
    url: Flag.String("url").pipe(
      Flag.optional,
      Flag.withDescription(
        "URL of the server. Default: --host and --port, else the server of the data folder, else a login on this host",
      ),
    ),
    apiKey: connectionOptions.apiKey,
    local: toggle("local", "Check the storage on this host instead of the server"),
    json: toggle("json", "Print JSON"),
  },
  ({ apiKey, json, local, url, ...flags }) =>
    Effect.gen(function* () {
      const choice = yield* serverChoice({ ...flags, roles: Option.none(), noDashboard: false })
      const address = Option.isSome(url) ? url : yield* addressOnHost(flags, choice.storage)
      const { run } = yield* Effect.promise(() => import("./Status.js"))
      return yield* run({ ...choice, url: Option.getOrUndefined(address), apiKey, isLocal: local }, json)
    }),
).pipe(
  Command.withDescription(
    "Check the health of a server. With an admin's key, the server reports its checks. Without one, the command checks the storage",
  ),
)

// internal

/** Returns the URL of a server on this host with a non-default port. None if the settings have an address. */
const addressOnHost = (flags: Pick<ServerFlags, "host" | "port">, storage: StorageChoice) =>
  Effect.gen(function* () {
    const host = yield* Setting.given(ServerSettings.host, flags.host)
    const port = yield* Setting.given(ServerSettings.port, flags.port)
    if (Option.isSome(host) || Option.isSome(port)) return Option.none()
    const served = storage.kind === "embedded" ? yield* ServedAddress.read(storage.dataDir) : Option.none()
    const known = Option.isSome(served)
      ? served
      : yield* Effect.orElseSucceed(knownUrl({ url: Option.none() }), Option.none)
    return Option.filter(known, (url) => /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/.test(url))
  })
