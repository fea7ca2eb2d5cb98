/** `errata status`: what it can be told. What asks and judges is loaded when it runs. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { connectionOptions } from "./api/ApiOptions.js"
import { serverOptions } from "./Serve.js"
import { serverChoice } from "./ServerChoice.js"

const { roles: _, ...addressAndStorage } = serverOptions

export const status = Command.make(
  "status",
  {
    ...addressAndStorage,
    url: Options.text("url").pipe(
      Options.optional,
      Options.withDescription(
        "The address to ask the server at. Default: that of --host and --port, or of their variables",
      ),
    ),
    apiKey: connectionOptions.apiKey,
    local: Options.boolean("local").pipe(
      Options.withDescription("Read the storage on this host, even if the server would report its checks"),
    ),
    json: Options.boolean("json").pipe(Options.withDescription("Print JSON")),
  },
  ({ apiKey, json, local, url, ...flags }) =>
    Effect.gen(function* () {
      const choice = yield* serverChoice({ ...flags, roles: Option.none() })
      const { run } = yield* Effect.promise(() => import("./Status.js"))
      return yield* run({ ...choice, url: Option.getOrUndefined(url), apiKey, isLocal: local }, json)
    }),
).pipe(
  Command.withDescription(
    "Check the server on this host: it reports every check to admins; otherwise the storage is read",
  ),
)
