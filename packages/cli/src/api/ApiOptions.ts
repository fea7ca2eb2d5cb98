/** Options that the commands of the API share. */
import { Effect, Option, Record, type Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { toggle } from "../Toggle.js"
import { momentFrom } from "./Moments.js"

/** An option that is a text, and may be left out. */
export const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

/** An option that is a whole number. */
export const wholeNumber = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("integer"),
    Flag.filterMap(
      (text) => (/^-?\d{1,15}$/.test(text) ? Option.some(Number(text)) : Option.none()),
      () => "a whole number",
    ),
  )

/** An option that is a whole number, and may be left out. */
export const optionalNumber = (name: string, description: string) =>
  wholeNumber(name).pipe(Flag.optional, Flag.withDescription(description))

/** An option with the values `true` and `false`, which may be left out. */
export const optionalFlag = (name: string, description: string) =>
  Flag.ChoiceWithValue(name, [
    ["true", true],
    ["false", false],
  ]).pipe(Flag.optional, Flag.withDescription(description))

/** An argument that is a text. */
export const textArgument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** An argument that is an id. */
export const idArgument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.filterMap(
      (text) => (/^[1-9]\d{0,14}$/.test(text) ? Option.some(Number(text)) : Option.none()),
      () => "an id",
    ),
    Argument.withDescription(description),
  )

/** Options of every command: the server, the API key and the output format. */
export const connectionOptions = {
  json: toggle("json", "Print the JSON of the API instead of text"),
  url: optionalText("url", "URL of the server. Environment: ERRATA_URL. Default: the server of errata login"),
  apiKey: Flag.Redacted("api-key").pipe(
    Flag.optional,
    Flag.withDescription(
      "API key. Prefer the environment, because other users can see command lines. Environment: ERRATA_API_KEY. Default: the key of errata login for this server",
    ),
  ),
}

/** Option of commands whose output is meant for language models, too. */
export const markdownOption = {
  markdown: toggle("markdown", "Print Markdown, e.g. for a coding tool: at most 50,000 characters"),
}

/** Fails if both formats are requested. */
export const checkFormat = (choice: { readonly json: boolean; readonly markdown: boolean }) =>
  choice.json && choice.markdown ? usageError("Give --json or --markdown, not both.") : Effect.void

export interface ConnectionChoice {
  readonly json: boolean
  readonly url: Option.Option<string>
  readonly apiKey: Option.Option<Redacted.Redacted>
}

export const projectOption = {
  project: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.optional,
    Flag.withDescription(
      "Id or exact name of the project. Environment: ERRATA_PROJECT. Default: the project of errata projects use, or the only project",
    ),
  ),
}

/** The project of a command about projects. */
export const projectArgument = {
  project: Argument.String("project").pipe(
    Argument.optional,
    Argument.withDescription(
      "Id or exact name of the project. Environment: ERRATA_PROJECT. Default: the project of errata projects use, or the only project",
    ),
  ),
}

export const pageOptions = {
  limit: optionalNumber("limit", "Number of entries to list, at most 100. Default: 25"),
  cursor: optionalNumber("cursor", "Start after this cursor: the next_cursor of the previous page"),
  all: toggle("all", "List all pages. With --json, print one entry per line"),
}

export interface PageChoice {
  readonly limit: Option.Option<number>
  readonly cursor: Option.Option<number>
  readonly all: boolean
}

export const periodOptions = {
  since: optionalText(
    "since",
    "Earliest time: a date, an ISO 8601 timestamp, or a time span before now (30m, 12h, 7d, 2w)",
  ),
  until: optionalText("until", "Latest time, in the same format as --since"),
}

/** Returns the bounds of a period in the format of the API. */
export const periodOf = Effect.fnUntraced(function* ({ since, until }: PeriodChoice) {
  return {
    ...(Option.isSome(since) && { since: yield* momentFrom("--since", since.value, "past") }),
    ...(Option.isSome(until) && { until: yield* momentFrom("--until", until.value, "past") }),
  }
})

interface PeriodChoice {
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
}

/** Returns the values of the options that are given, by name. */
export const given = <Options extends Readonly<Record<string, Option.Option<unknown>>>>(options: Options) =>
  Record.getSomes(options) as {
    readonly [Name in keyof Options]?: Option.Option.Value<Options[Name]>
  }

export const groupArgument = idArgument("group", "Id of the group")
