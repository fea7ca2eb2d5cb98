/**
 * The issues of a schema with a value that a client sent, as a few short messages. Neither the value nor the list of
 * issues is written out as a whole: both are as large as the client likes.
 */
import { ParseResult } from "effect"

export interface DecodeIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The first 50 issues in the order of the schema, each of at most 300 characters. */
export const of = ({ issue }: Pick<ParseResult.ParseError, "issue">): ReadonlyArray<DecodeIssue> =>
  ParseResult.ArrayFormatter.formatIssueSync(shortened(issue, { left: maxIssues, seen: new Map() })).map(
    ({ message, path }) => ({ path, message: cut(message, maxMessageCharacters) }),
  )

// internal

const maxIssues = 50
const maxMessageCharacters = 300
const maxTextCharacters = 100
const maxMembers = 3
const maxDepth = 3

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

interface Budget {
  left: number
  /** The short forms of values. */
  readonly seen: Map<unknown, unknown>
}

/** The same issue about a short form of the value. */
const shortened = (issue: ParseResult.ParseIssue, budget: Budget): ParseResult.ParseIssue => {
  // A value comes again with each of its issues, and so do the values around it.
  const { seen } = budget
  const actual = seen.has(issue.actual) ? seen.get(issue.actual) : brief(issue.actual, 0)
  seen.set(issue.actual, actual)
  switch (issue._tag) {
    case "Pointer":
      return new ParseResult.Pointer(shortPath(issue.path), actual, shortened(issue.issue, budget))
    case "Composite":
      return new ParseResult.Composite(issue.ast, actual, some(issue.issues, budget))
    case "Refinement":
      return new ParseResult.Refinement(issue.ast, actual, issue.kind, shortened(issue.issue, budget))
    case "Transformation":
      return new ParseResult.Transformation(issue.ast, actual, issue.kind, shortened(issue.issue, budget))
    case "Type":
      return new ParseResult.Type(issue.ast, actual, issue.message)
    case "Forbidden":
      return new ParseResult.Forbidden(issue.ast, actual, issue.message)
    case "Unexpected":
      return new ParseResult.Unexpected(actual, issue.message)
    case "Missing":
      return issue
  }
}

/** One issue at least: an issue about a whole has some about its parts. */
const some = (issues: ParseResult.Composite["issues"], budget: Budget) => {
  if (!isList(issues)) return shortened(issues, budget)
  const [first, ...others] = issues
  budget.left--
  const kept: [ParseResult.ParseIssue, ...Array<ParseResult.ParseIssue>] = [shortened(first, budget)]
  for (const other of others) {
    if (budget.left <= 0) break
    budget.left--
    kept.push(shortened(other, budget))
  }
  return kept
}

const isList = <A>(value: ParseResult.SingleOrNonEmpty<A>): value is readonly [A, ...Array<A>] =>
  Array.isArray(value)

const shortPath = (path: ParseResult.Path): ParseResult.Path => {
  const short = (key: PropertyKey) => (typeof key === "string" ? cut(key, maxTextCharacters) : key)
  if (!isList(path)) return short(path)
  const [first, ...others] = path
  return [short(first), ...others.map(short)]
}

/** Instances of classes are a schema's own, and stay as they are. */
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
