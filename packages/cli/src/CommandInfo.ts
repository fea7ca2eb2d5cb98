/** What a command tells of itself, read out of its definition: help and completions are made from it. */
import { CliConfig, CommandDescriptor, type HelpDoc, type Span } from "effect/cli"
import { HashMap, HashSet } from "effect"

/** An argument or an option. */
export interface Parameter {
  /** What it is called: an argument by one name, an option by all its spellings. */
  readonly names: ReadonlyArray<string>
  /** What kind of value it takes, e.g. `text`; empty for an option that takes none. */
  readonly type: string
  /** All the values there are, where they are few. */
  readonly values: ReadonlyArray<string>
  readonly description: string
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

export interface CommandInfo {
  readonly name: string
  readonly summary: string
  readonly args: ReadonlyArray<Parameter>
  readonly options: ReadonlyArray<Parameter>
  readonly subcommands: ReadonlyArray<CommandInfo>
}

type Descriptor = CommandDescriptor.Command<unknown>

interface Command {
  readonly descriptor: Descriptor
}

export const commandName = ({ descriptor }: Command): string =>
  Array.from((CommandDescriptor.getNames(descriptor)))[0] ?? ""

/** Of a command that has verbs below it, or none; deeper ones there are not. */
export const commandInfo = ({ descriptor }: Command): CommandInfo => {
  const below = new Map(HashMap.entries(CommandDescriptor.getSubcommands(descriptor)))
  const own = describe(descriptor)
  // A command without any counts as its own.
  below.delete(own.name)
  return {
    ...own,
    // They are in no order themselves, but listed in theirs.
    subcommands: listed(descriptor).flatMap((name) => {
      const command = below.get(name)
      return command === undefined ? [] : [{ ...describe(command), subcommands: [] }]
    }),
  }
}

// internal

const describe = (descriptor: Descriptor): Omit<CommandInfo, "subcommands"> => {
  const sections = sectionsOf(descriptor)
  return {
    name: commandName({ descriptor }),
    summary: sections.get("DESCRIPTION")?.flatMap(paragraphs)[0] ?? "",
    args: sections.get("ARGUMENTS")?.flatMap(parameters) ?? [],
    options: sections.get("OPTIONS")?.flatMap(parameters) ?? [],
  }
}

const config = { ...CliConfig.defaultConfig, showBuiltIns: false }

/** The parts of the library's own help, by their headings. */
const sectionsOf = (descriptor: Descriptor): Map<string, Array<HelpDoc.HelpDoc>> => {
  const sections = new Map<string, Array<HelpDoc.HelpDoc>>()
  let current: Array<HelpDoc.HelpDoc> = []
  for (const part of parts(CommandDescriptor.getHelp(descriptor, config))) {
    if (part._tag === "Header") {
      current = []
      sections.set(spanText(part.value), current)
    } else {
      current.push(part)
    }
  }
  return sections
}

/** The names of the subcommands: each line is its usage, which begins with it. */
const listed = (descriptor: Descriptor): ReadonlyArray<string> =>
  (sectionsOf(descriptor).get("COMMANDS") ?? []).flatMap((part) =>
    part._tag === "Enumeration"
      ? part.elements.flatMap(paragraphs).map((text) => text.split(" ", 1)[0]!)
      : [],
  )

const parts = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...parts(doc.failure), ...parts(doc.success)] : doc._tag === "Empty" ? [] : [doc]

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  parts(doc).flatMap((part) => (part._tag === "Paragraph" ? [spanText(part.value)] : []))

const parameters = (part: HelpDoc.HelpDoc): ReadonlyArray<Parameter> =>
  part._tag === "DescriptionList" ? part.definitions.map(([term, doc]) => parameter(spanText(term), doc)) : []

/** `(-p, --project text)`, `--status a | b`, `<group> 1+` or `<query>...`, and paragraphs about it. */
const parameter = (term: string, doc: HelpDoc.HelpDoc): Parameter => {
  const isRepeated = /(\.\.\.| \d+\+)$/.test(term)
  const text = term.replace(/(\.\.\.| \d+\+)$/, "").replace(/^\((.*)\)$/, "$1")
  const names = text.startsWith("-") ? (text.match(/(?<![\w-])--?[a-z][\w-]*/g) ?? []) : [text.slice(1, -1)]
  const type = text.startsWith("-")
    ? text.slice(text.lastIndexOf(names.at(-1)!) + names.at(-1)!.length).trim()
    : ""
  const [kind = "", ...about] = paragraphs(doc)
  return {
    names,
    type,
    values: /^One of the following: /.test(kind)
      ? kind.slice("One of the following: ".length).split(", ")
      : [],
    description: about.find((each) => !isStandard(each)) ?? "",
    isOptional: about.some((each) => /^This setting is optional|zero or more times/.test(each)),
    isRepeated,
  }
}

/** What the library says of every parameter of a kind. */
const isStandard = (paragraph: string): boolean =>
  /^This (setting|option|argument) (is optional|can be set from|may be repeated|must be repeated)/.test(
    paragraph,
  )

const spanText = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Sequence":
      return spanText(span.left) + spanText(span.right)
    default:
      return spanText(span.value)
  }
}
