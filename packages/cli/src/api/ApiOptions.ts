/** The options that the API's verbs share. */
import { Args, HelpDoc, Options } from "@effect/cli"
import { Effect, type Option, type Redacted } from "effect"

/** Of every verb: which server, as whom, and for whom the answer is. */
export const connectionOptions = {
  json: Options.boolean("json").pipe(
    Options.withDescription("Print the API's JSON instead of text for people"),
  ),
  url: Options.text("url").pipe(
    Options.optional,
    Options.withDescription("The server's address. Environment: ERRATA_URL. Default: as logged in"),
  ),
  apiKey: Options.redacted("api-key").pipe(
    Options.optional,
    Options.withDescription(
      "The API key; better in the environment: ERRATA_API_KEY. Default: as logged in, for that server",
    ),
  ),
}

/** Of verbs that show what models may read. */
export const markdownOption = {
  markdown: Options.boolean("markdown").pipe(
    Options.withDescription(
      "Print Markdown, to be read by a coding tool or pasted: at most 50,000 characters",
    ),
  ),
}

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
      "The project, by id or exact name. Environment: ERRATA_PROJECT. Default: as chosen with errata projects use, else the only project",
    ),
  ),
}

/** The project of a verb that is about projects themselves. */
export const projectArgument = {
  project: Args.text({ name: "project" }).pipe(
    Args.optional,
    Args.withDescription("The project, by id or exact name. Default: as for --project elsewhere"),
  ),
}

export const pageOptions = {
  limit: Options.integer("limit").pipe(
    Options.optional,
    Options.withDescription("How many to list at most: 25 unless told, up to 100 at once"),
  ),
  cursor: Options.integer("cursor").pipe(
    Options.optional,
    Options.withDescription("Where to go on: the next_cursor of the page before"),
  ),
  all: Options.boolean("all").pipe(
    Options.withDescription("List everything, page after page; with --json one item per line"),
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
      "Not older than this: a date, an ISO 8601 timestamp, or a span like 30m, 12h, 7d, 2w",
    ),
  ),
  until: Options.text("until").pipe(
    Options.optional,
    Options.withDescription("Not newer than this; written alike"),
  ),
}

/** A choice that is made, or left as it is. */
export const onOff = (name: string) =>
  Options.choiceWithValue(name, [
    ["true", true],
    ["false", false],
  ])

/** The id of something. */
export const idArgument = (name: string) =>
  Args.mapEffect(Args.text({ name }), (text) =>
    /^[1-9]\d{0,14}$/.test(text)
      ? Effect.succeed(Number(text))
      : Effect.fail(HelpDoc.p(`<${name}> must be an id, not '${text}'`)),
  )

export const groupArgument = idArgument("group").pipe(Args.withDescription("The id of a group"))
