/** Where people read our words: pages, comments and strings. */
import { marked } from "marked"
import ts from "typescript"

/** Paragraphs, list items and table cells of a page: `{ line, text }`. Code is one word. */
export const textsOfPage = (markdown) => {
  const texts = []
  const visit = (tokens, line) => {
    let at = line
    for (const token of tokens) {
      if (token.type === "paragraph" || token.type === "text") texts.push({ line: at, text: plain(token) })
      else if (token.type === "list") visit(token.items, at)
      else if (token.type === "list_item" || token.type === "blockquote") visit(token.tokens, at)
      else if (token.type === "table") {
        for (const cell of [...token.header, ...token.rows.flat()])
          texts.push({ line: at, text: plain(cell) })
      }
      at += newlines(token.raw)
    }
  }
  const body = markdown.replace(/^---\n[\s\S]*?\n---\n/, "")
  visit(marked.lexer(body), 1 + newlines(markdown) - newlines(body))
  return texts
}

const newlines = (text) => text.split("\n").length - 1

const plain = (token) => {
  if (token.type === "codespan") return "Code"
  if (token.type === "html" || token.type === "image") return " "
  if (token.type === "br") return " "
  return token.tokens === undefined ? (token.text ?? "") : token.tokens.map(plain).join("")
}

const parse = (path, source) =>
  ts.createSourceFile(
    path,
    source,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith("x") ? ts.ScriptKind.TSX : undefined,
  )

/** Comments of a source file, with line comments that belong together in one text. */
export const commentsOf = (path, source) => {
  const file = parse(path, source)
  const ranges = new Map()
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [])
      ranges.set(range.pos, range)
    for (const range of ts.getTrailingCommentRanges(source, node.getEnd()) ?? []) ranges.set(range.pos, range)
    for (const child of node.getChildren(file)) if (child.kind !== ts.SyntaxKind.JsxText) visit(child)
  }
  visit(file)
  const comments = []
  for (const { end, pos } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const raw = source.slice(pos, end)
    const line = file.getLineAndCharacterOfPosition(pos).line + 1
    const last = comments.at(-1)
    if (raw.startsWith("//") && last?.isLine && last.end === line - 1) {
      last.text += ` ${textOf(raw)}`
      last.end = line
    } else {
      comments.push({ line, end: line + newlines(raw), isLine: raw.startsWith("//"), text: textOf(raw) })
    }
  }
  return comments.filter(
    ({ text }) => !/^(?:internal|biome-ignore|@ts-|eslint|#__PURE__|v8 ignore)/.test(text),
  )
}

const textOf = (raw) =>
  raw
    .replace(/^\/\*\*?|\*\/$/g, "")
    .replaceAll(/^\s*(?:\/\/|\*)/gm, "")
    .replaceAll(/^\s*@\w+/gm, "")
    .replaceAll(/```[\s\S]*?```/g, " ")
    .replaceAll(/\{@link ([^}]*)\}|`[^`]*`/g, "Code")
    .trim()

/** Strings of a source file that people may read: at least two words, and no SQL, CSS or path. */
export const stringsOf = (path, source) => {
  const file = parse(path, source)
  const strings = []
  const add = (node, text) => {
    if (!isForPeople(text)) return
    strings.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text })
  }
  const visit = (node) => {
    if (ts.isTaggedTemplateExpression(node) || ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node))
      return
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, node.text)
    else if (ts.isTemplateExpression(node)) {
      add(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return strings
}

const isForPeople = (text) =>
  /\p{L}{2,}[,:;.]? \p{L}/u.test(text) &&
  !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|SET|LOCK|BEGIN|ON|ORDER|WHERE|AND|VALUES)\s/.test(
    text,
  ) &&
  !/^[\w-]+(?: [\w-]+)*;/.test(text)
