/** `errata policies`: policies of the instance. */
import { DecodeIssues } from "@errata/core/internal"
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed, exitCodes, usageError } from "../ErrorOutput.js"
import { apiCommand } from "./ApiCommand.js"
import { fieldLines } from "./Detail.js"
import { print, printJson } from "./Output.js"
import { type Client, show } from "./Session.js"

const names = ["ingest-protection", "error-retention", "artifact-retention", "hosted-sourcemaps"] as const
type PolicyName = (typeof names)[number]

const policy = Argument.Literals("policy", names).pipe(
  Argument.withDescription(`Policy: ${names.join(", ")}`),
)

const list = apiCommand("list", "Show all policies (admin)", {}, function* (choice, { client }) {
  const answers = yield* Effect.forEach(names, (name) =>
    Effect.map(getters[name](client), (values) => [name, values] as const),
  )
  if (choice.json) return yield* printJson(Object.fromEntries(answers))
  yield* print(
    answers.flatMap(([name, values], i) => [
      ...(i === 0 ? [] : [""]),
      name.toUpperCase(),
      ...policyLines(values),
    ]),
  )
})

const get = apiCommand("get", "Show a policy (admin)", { policy }, function* (choice, { client }) {
  yield* Effect.flatMap(getters[choice.policy](client), (values) => show(choice, values, policyLines))
})

const set = apiCommand(
  "set",
  "Change a policy (admin)",
  {
    policy,
    values: Argument.String("key=value").pipe(
      Argument.atLeast(1),
      Argument.withDescription(
        "Fields to change, named as errata policies get shows them, e.g. retention_period_days=30",
      ),
    ),
  },
  function* (choice, { client }) {
    const changes = Object.fromEntries(yield* Effect.forEach(choice.values, keyAndValue))
    yield* show(choice, yield* update(client, choice.policy, changes), policyLines)
  },
)

export const policies = Command.make("policies").pipe(
  Command.withDescription("Manage instance policies: ingest protection, retention, hosted source maps"),
  Command.withSubcommands([list, get, set]),
)

// internal

const getters = {
  "ingest-protection": (client: Client) => client.policies.getIngestProtection(),
  "error-retention": (client: Client) => client.policies.getErrorRetention(),
  "artifact-retention": (client: Client) => client.policies.getArtifactRetention(),
  "hosted-sourcemaps": (client: Client) => client.policies.getHostedSourcemaps(),
}

type Changes = Readonly<Record<string, string | number | boolean>>

/** Updates a policy. The schema rejects unknown fields here, because the server would ignore them. */
const update = Effect.fnUntraced(function* (client: Client, name: PolicyName, changes: Changes) {
  const api = yield* Effect.promise(() => import("@errata/api/internal"))
  switch (name) {
    case "ingest-protection":
      return yield* client.policies.updateIngestProtection(
        yield* decoded(api.IngestProtectionUpdate, changes),
      )
    case "error-retention":
      return yield* client.policies.updateErrorRetention(yield* decoded(api.ErrorRetentionUpdate, changes))
    case "artifact-retention":
      return yield* client.policies.updateArtifactRetention(
        yield* decoded(api.ArtifactRetentionUpdate, changes),
      )
    case "hosted-sourcemaps":
      return yield* client.policies.updateHostedSourcemaps(
        yield* decoded(api.HostedSourcemapsUpdate, changes),
      )
  }
})

const decoded = <A, I>(
  schema: Schema.Codec<A, I> & { readonly fields: Readonly<Record<keyof I & string, unknown>> },
  changes: Changes,
) =>
  Effect.gen(function* () {
    const fields = Object.keys(schema.fields)
    const unknown = Object.keys(changes).find((field) => !fields.includes(field))
    if (unknown !== undefined) {
      return yield* invalid(
        `${unknown} is not a field of this policy that can be changed. Fields: ${fields.join(", ")}`,
      )
    }
    return yield* Effect.catchTag(
      Schema.decodeUnknownEffect(schema)(changes, DecodeIssues.parseOptions),
      "SchemaError",
      ({ issue }) =>
        invalid(
          DecodeIssues.of(issue)
            .map(({ message, path }) => `${path.join(".")} ${message}`)
            .join("; "),
        ),
    )
  })

const invalid = (message: string) => new CommandFailed({ message, exitCode: exitCodes.invalid })

const keyAndValue = (
  text: string,
): Effect.Effect<readonly [string, string | number | boolean], CommandFailed> => {
  const [, key, value] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
  return key === undefined || value === undefined
    ? usageError(`Fields to change must have the form key=value, not "${text}".`)
    : Effect.succeed([key, valueOf(value)])
}

const valueOf = (text: string): boolean | number | string => {
  if (text === "true" || text === "false") return text === "true"
  return /^-?\d+$/.test(text) ? Number(text) : text
}

const policyLines = (values: Readonly<Record<string, boolean | number | string>>): ReadonlyArray<string> =>
  fieldLines(Object.entries(values).map(([key, value]) => [key, String(value)]))
