/** Options that the commands of the API share. */
import { Args, HelpDoc, Options } from "@effect/cli"
import { Effect, type Option, type Redacted } from "effect"
import { wrong } from "../Setting.js"

/** Options of every command: the server, the API key and the output format. */
export const connectionOptions = {
  json: Options.boolean("json").pipe(Options.withDescription("Print the JSON of the API instead of text")),
  url: Options.text("url").pipe(
    Options.optional,
    Options.withDescription(
      "URL of the server. Environment: ERRATA_URL. Default: the server of errata login",
    ),
  ),
  apiKey: Options.redacted("api-key").pipe(
    Options.optional,
    Options.withDescription(
      "API key. Prefer the environment, because other users can see command lines. Environment: ERRATA_API_KEY. Default: the key of errata login for this server",
    ),
  ),
}

/** Option of commands whose output is meant for language models, too. */
export const markdownOption = {
  markdown: Options.boolean("markdown").pipe(
    Options.withDescription("Print Markdown, e.g. for a coding tool: at most 50,000 characters"),
  ),
}

/** Fails if both formats are requested. */
export const checkFormat = (choice: { readonly json: boolean; readonly markdown: boolean }) =>
  choice.json && choice.markdown ? wrong("Give --json or --markdown, not both.") : Effect.void

export interface ConnectionChoice {
  readonly json: boolean
  readonly url: Option.Option<string>
  readonly apiKey: Option.Option<Redacted.Redacted>
}

export const projectOption = {
  project: Options.text("project").pipe(
    Options.withAlias("p"),
    Options.optional,
    Options.withDescription(
      "Id or exact name of the project. Environment: ERRATA_PROJECT. Default: the project of errata projects use, or the only project",
    ),
  ),
}

/** The project of a command about projects. */
export const projectArgument = {
  project: Args.text({ name: "project" }).pipe(
    Args.optional,
    Args.withDescription(
      "Id or exact name of the project. Environment: ERRATA_PROJECT. Default: the project of errata projects use, or the only project",
    ),
  ),
}

export const pageOptions = {
  limit: Options.integer("limit").pipe(
    Options.optional,
    Options.withDescription("Number of entries to list, at most 100. Default: 25"),
  ),
  cursor: Options.integer("cursor").pipe(
    Options.optional,
    Options.withDescription("Start after this cursor: the next_cursor of the previous page"),
  ),
  all: Options.boolean("all").pipe(
    Options.withDescription("List all pages. With --json, print one entry per line"),
  ),
}

export interface PageChoice {
  readonly limit: Option.Option<number>
  readonly cursor: Option.Option<number>
  readonly all: boolean
}

export const periodOptions = {
  since: Options.text("since").pipe(
    Options.optional,
    Options.withDescription(
      "Earliest time: a date, an ISO 8601 timestamp, or a time span before now (30m, 12h, 7d, 2w)",
    ),
  ),
  until: Options.text("until").pipe(
    Options.optional,
    Options.withDescription("Latest time, in the same format as --since"),
  ),
}

/** An optional boolean with the values `true` and `false`. */
export const onOff = (name: string) =>
  Options.choiceWithValue(name, [
    ["true", true],
    ["false", false],
  ])

/** An argument that is an id. */
export const idArgument = (name: string) =>
  Args.mapEffect(Args.text({ name }), (text) =>
    /^[1-9]\d{0,14}$/.test(text)
      ? Effect.succeed(Number(text))
      : Effect.fail(HelpDoc.p(`<${name}> must be an id, not '${text}'`)),
  )

export const groupArgument = idArgument("group").pipe(Args.withDescription("Id of the group"))
