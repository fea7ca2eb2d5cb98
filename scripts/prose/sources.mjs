/** The words in a source file: comments, messages, which are the strings that users read, and names of tests. */
import { parseSync, Visitor, visitorKeys } from "oxc-parser"

/** Comments of a source file, `{ line, text }`, with line comments that belong together in one text. */
export const commentsOf = (path, source) => {
  const lineAt = lines(source)
  const comments = []
  for (const { end, start } of parseSync(path, source).comments) {
    const raw = source.slice(start, end)
    const line = lineAt(start)
    const last = comments.at(-1)
    if (raw.startsWith("//") && last?.isLine && last.end === line - 1) {
      last.text += ` ${textOf(raw)}`
      last.end = line
    } else {
      comments.push({ line, end: lineAt(end), isLine: raw.startsWith("//"), text: textOf(raw) })
    }
  }
  return comments.filter(
    ({ text }) => !/^(?:internal|biome-ignore|@ts-|eslint|#__PURE__|v8 ignore)/.test(text),
  )
}

const lines = (source) => {
  const starts = [...source.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => 1 + starts.filter((start) => start < offset).length
}

const textOf = (raw) =>
  raw
    .replace(/^\/\*\*?|\*\/$/g, "")
    .replaceAll(/^\s*(?:\/\/|\*)/gm, "")
    .replaceAll(/^\s*@\w+/gm, "")
    // Items of lists, rows of tables and paragraphs are sentences of their own.
    .replaceAll(/\n\s*(?=- |\|)|\n\s*\n/g, "\u2029")
    .replaceAll(/```[\s\S]*?```/g, " ")
    .replaceAll(/\{@link ([^}]*)\}|`[^`]*`/g, "Code")
    .trim()

/** Strings that users read, `{ line, kind, text }`: two words or more. "…" stands for a value. */
export const messagesOf = (path, source) => {
  const lineAt = lines(source)
  const messages = []
  const add = ({ start }, kind, text) => {
    if (isForPeople(text)) messages.push({ line: lineAt(start), kind, text })
  }
  const visit = (node, around) => {
    if (ignored.has(node.type)) return
    if (node.type === "TaggedTemplateExpression") {
      if (nameOf(node.tag) === "html") for (const text of textsOfHtml(node.quasi)) add(node, "page", text)
      for (const expression of node.quasi.expressions) visit(expression, around)
      return
    }
    if (node.type === "TemplateLiteral") add(node, kindOf(path, around), textOfTemplate(node))
    if (node.type === "Literal" && typeof node.value === "string") add(node, kindOf(path, around), node.value)
    const name = nameOf(node)
    const inside = name === null ? around : [name, ...around]
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [node[key]].flat()) {
        if (child?.type !== undefined && !(key === "key" && !node.computed)) visit(child, inside)
      }
    }
  }
  visit(parseSync(path, source).program, [])
  return messages
}

/** Names of tests, groups and contract cases, `{ line, text }`, but not in tables of `each`. "…" stands for a value. */
export const namesOf = (path, source) => {
  const lineAt = lines(source)
  const names = []
  const add = ({ arguments: [name], callee }) => {
    if (!registersTests(callee)) return
    const text = name?.type === "TemplateLiteral" ? textOfTemplate(name) : name?.value
    // The rules expect sentences, and names start with a small letter.
    if (typeof text === "string")
      names.push({ line: lineAt(name.start), text: text.replace(/^./u, (first) => first.toUpperCase()) })
  }
  new Visitor({ CallExpression: add }).visit(parseSync(path, source).program)
  return names
}

/** Whether it is the callee of `it("…")`, `it.effect.each(cases)("…")` or `contractCase("…")`. */
const registersTests = (callee) =>
  callee.type === "Identifier"
    ? /^(?:it|test|describe|layer|contractCase|wireCase|effectIt|describeApp)$/.test(callee.name)
    : ["callee", "object"].some((key) => callee[key] !== undefined && registersTests(callee[key]))

const ignored = new Set(["ImportDeclaration", "TSLiteralType"])

const textOfTemplate = ({ quasis }) => quasis.map(({ value }) => value.cooked).join("…")

const textsOfHtml = (template) =>
  textOfTemplate(template)
    .replaceAll(/<\/?(?:a|b|br|code|em|strong)\b[^>]*>/g, "")
    .split(/<[^>]*>/)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())

/** The name of a function, class or property that surrounds a string. */
const nameOf = (node) => {
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      return nameOf(node.callee)
    case "Property":
      return nameOf(node.key) ?? String(node.key.value)
    case "MemberExpression":
      return nameOf(node.property)
    case "Identifier":
      return node.name
    default:
      return null
  }
}

/** Names around a string that say what it is; the nearest one decides. */
const kinds = [
  ["log", /^log(?:Debug|Info|Warning|Error|Fatal|Failure|Suspects|Interruptible)?$/],
  ["help", /^(?:withDescription|expected|fallback)$/],
  ["metric", /^(?:help|counter|histogram|gauge)$/],
  [
    "error",
    /(?:Error|Failed|Refused|Unreadable|Unusable|Rejection|Failure)$|^(?:fail|problem|refus\w*|reject|unreadable|unexpected|tooLarge|invalid\w*|wrong|denied|fault|message|detail|reason|errors|check|unavailable|notFound|badRequest|conflict|forbidden|unauthorized|validationFailed|left)$/,
  ],
  ["description", /^(?:annotate|annotations|described|description|field|what|when|idParam)$/],
]

const kindOf = (path, around) => {
  for (const name of around) {
    const kind = kinds.find(([, pattern]) => pattern.test(name))
    if (kind !== undefined) return kind[0]
  }
  return path.startsWith("packages/cli/") ? "output" : "text"
}

const isForPeople = (text) =>
  /\p{L}{2,}[,:;.]? \p{L}/u.test(text) && !notForPeople.some((pattern) => pattern.test(text))

const notForPeople = [
  // SQL.
  /^[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|SET|LOCK|BEGIN|ON|ORDER|WHERE|AND|VALUES|ARRAY|CASE|ROLLBACK|AS)\b/,
  /^(?:coalesce|alter role|create (?:database|role)|drop database)\b/,
  // Headers and their values.
  /^[\w/.+-]+; ?[\w-]+=|\bmax-age=|^[A-Z]+(?:, [A-Z]+)+$|^[a-z-]+(?:, [a-z-]+)+,? ?$|-src data:|default-src/,
  // Style sheets, scripts and documents.
  /\{\s*[\w-]+:|^\s*(?:# usage|const |<!|data:|local |complete )/,
]
