/** Addresses of targets as commands take them: secret fields come from a prompt or from standard input. */
import type { NotificationKindsView } from "@errata/api"
import { Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { StandardInput } from "./StandardInput.js"

export type Kind = NotificationKindsView["kinds"][number]
export type KindField = Kind["fields"][number]

type Fields = Readonly<Record<string, string>>

/** Reads fields from arguments. Other users of the host can see arguments, so a secret field is refused. */
export const checkedAddress = (
  { fields, kind }: Kind,
  values: ReadonlyArray<string>,
): Effect.Effect<Fields, CommandFailed> =>
  Effect.gen(function* () {
    const read = yield* Effect.forEach(values, pairOf)
    for (const [name] of read) {
      const field = fields.find((each) => each.name === name)
      if (field === undefined) {
        return yield* usageError(
          `${name} is not a field of the kind ${kind}. Fields: ${fields.map((each) => each.name).join(", ")}`,
        )
      }
      if (field.secret) {
        return yield* usageError(
          `${name} is secret, and other users can see command lines. Give it at the prompt, or on standard input with --with-secrets`,
        )
      }
    }
    return Object.fromEntries(read)
  })

/** Reads secret fields from standard input, or prompts for each of them. */
export const withSecrets = (
  fields: ReadonlyArray<KindField>,
  isPiped: boolean,
): Effect.Effect<Fields, CommandFailed, Prompt.Environment> =>
  Effect.gen(function* () {
    if (fields.length === 0) return {}
    const input = yield* StandardInput
    if (isPiped) return yield* parsed(fields, yield* input.read)
    if (!input.isTerminal()) {
      return yield* usageError(
        `${fields.map(({ name }) => name).join(" and ")} must be given on standard input. Give --with-secrets`,
      )
    }
    const read = yield* Effect.forEach(fields, ({ label, name }) =>
      Effect.map(hidden(label), (value) => [name, value.trim()] as const),
    )
    return Object.fromEntries(read)
  })

/** Reads `22:00-07:00 Europe/Vienna`. The server checks the values. */
export const quietHoursOf = (text: string) => {
  if (text.trim() === "none") return Effect.succeed(null)
  const [, from, to, timezone] = /^\s*(\d\d:\d\d)\s*-\s*(\d\d:\d\d)\s+(\S+)\s*$/.exec(text) ?? []
  return from === undefined || to === undefined || timezone === undefined
    ? usageError(`--quiet-hours must have the form "22:00-07:00 Europe/Vienna", or be none, not "${text}"`)
    : Effect.succeed({ from, to, timezone })
}

// internal

const pairOf = (text: string): Effect.Effect<readonly [string, string], CommandFailed> => {
  const at = text.indexOf("=")
  return at < 1
    ? usageError("Fields must have the form FIELD=VALUE.")
    : Effect.succeed([text.slice(0, at), text.slice(at + 1)])
}

/** The messages quote no line, because it is secret. */
const parsed = (fields: ReadonlyArray<KindField>, text: string): Effect.Effect<Fields, CommandFailed> => {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "")
  const isNamed = (line: string) => fields.some(({ name }) => line.startsWith(`${name}=`))
  const [only] = fields
  if (only !== undefined && fields.length === 1 && lines.length === 1 && !isNamed(lines[0]!)) {
    return Effect.succeed({ [only.name]: lines[0]!.trim() })
  }
  const wrong = lines.findIndex((line) => !isNamed(line))
  if (lines.length === 0 || wrong >= 0) {
    const names = fields.map(({ name }) => `${name}=VALUE`).join(" and ")
    return usageError(
      lines.length === 0
        ? `Standard input is empty. It must have lines such as ${names}`
        : `Line ${wrong + 1} of standard input must be one of ${names}`,
    )
  }
  return Effect.map(Effect.forEach(lines, pairOf), (pairs) =>
    Object.fromEntries(pairs.map(([name, value]) => [name, value.trim()])),
  )
}

const hidden = (label: string) =>
  Prompt.run(Prompt.Hidden({ message: label })).pipe(
    Effect.map(Redacted.value),
    Effect.catchTag("QuitError", () => new CommandFailed({ message: "Nothing was changed." })),
  )
