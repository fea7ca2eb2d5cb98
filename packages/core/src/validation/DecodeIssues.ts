/**
 * The issues of a schema with a value that a client sent, as a few short messages. Neither the value nor the list of
 * issues is written out as a whole: the client decides how large both are.
 */
import { type SchemaAST, SchemaIssue } from "effect"

/** A fault of a value, and its place. */
export interface DecodeIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** For schemas that decode input of clients: all issues, with the value of each. */
export const parseOptions = { errors: "all", reportInput: true } as const satisfies SchemaAST.ParseOptions

/** The first 50 issues in the order of the schema, each of at most 300 characters. */
export const of = (issue: SchemaIssue.Issue): ReadonlyArray<DecodeIssue> => {
  const found: Array<DecodeIssue> = []
  collect(found, issue, [])
  return found
}

// internal

const maxIssues = 50
const maxMessageCharacters = 300
const maxTextCharacters = 100
const maxMembers = 3
const maxDepth = 3

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

const collect = (
  found: Array<DecodeIssue>,
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  message?: string,
): void => {
  if (found.length === maxIssues) return
  if (issue._tag === "Pointer") {
    collect(found, issue.issue, [...path, ...issue.path.map(shortKey)], message)
  } else if (issue._tag === "Encoding") {
    collect(found, issue.issue, path, message)
  } else if (issue._tag === "Filter" && issue.issue._tag !== "InvalidValue") {
    collect(found, issue.issue, path, message ?? SchemaIssue.defaultCheckHook(issue))
  } else if (issue._tag === "Composite" || (issue._tag === "AnyOf" && issue.issues.length > 0)) {
    for (const part of issue.issues) collect(found, part, path, message)
  } else {
    found.push({ path, message: cut(message ?? messageOf(issue), maxMessageCharacters) })
  }
}

/** The library's message, about a short form of the value. */
const messageOf = (issue: SchemaIssue.Issue): string => {
  if (issue._tag === "MissingKey") return "is missing"
  const short = shortened(issue)
  return format(short._tag === "Filter" ? { ...short, issue: shortened(short.issue) } : short)
}

const format = SchemaIssue.makeFormatterDefault()

const shortened = <I extends SchemaIssue.Issue>(issue: I): I =>
  SchemaIssue.hasInput(issue) ? { ...issue, input: brief(issue.input, 0) } : issue

const shortKey = (key: PropertyKey) => (typeof key === "string" ? cut(key, maxTextCharacters) : key)

/** Instances of classes belong to the schema, and stay as they are. */
const brief = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return cut(value, maxTextCharacters)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    if (depth === maxDepth) return "…"
    const members = value.slice(0, maxMembers).map((member) => brief(member, depth + 1))
    return value.length > maxMembers ? [...members, "…"] : members
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  if (depth === maxDepth) return "…"
  const members: Array<readonly [string, unknown]> = []
  // A list of all entries would take as long as the value is large.
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (members.push([cut(key, maxTextCharacters), brief(member, depth + 1)]) === maxMembers) break
  }
  return Object.fromEntries(members)
}
