/** The words in a page of documentation. */
import { marked } from "marked"

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
