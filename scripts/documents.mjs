/** The documents of the project, and the code in them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../", import.meta.url))

const pagesIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))

/** Pages with their text, by path in the project. */
export const documents = () => {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name))
  return [".", ".changeset", "docs", "docs/decisions", "examples", ...packages]
    .flatMap(pagesIn)
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

/** Code blocks: language, name in brackets (of a file or tab), text and line. */
export const blocksOf = (text) =>
  [...text.matchAll(/^```(\w+)(?: \[([^\]]+)\])?[^\n]*\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language, name = "", code] = match
    return { language, name, code, line: text.slice(0, match.index).split("\n").length + 1 }
  })
