/** Colors source code. This module and the grammars load with the first open frame that has source. */
import type { LanguageFn } from "highlight.js"
import { createLowlight } from "lowlight"
import type { Language } from "./Language.js"

/** A piece of a line, and the class of its color. */
export interface Piece {
  readonly text: string
  readonly color: string | undefined
}

type Lines = ReadonlyArray<ReadonlyArray<Piece>>

/** Splits source into lines of pieces. */
export const highlight = async (language: Language, source: string): Promise<Lines> => {
  if (!lowlight.registered(language)) lowlight.register({ [language]: (await grammars[language]()).default })
  const lines: Array<Array<Piece>> = [[]]
  const add = (nodes: Nodes, color: string | undefined): void => {
    for (const node of nodes) {
      if (node.type === "element") add(node.children, colorOf(node.properties["className"]) ?? color)
      if (node.type !== "text") continue
      node.value.split("\n").forEach((text, i) => {
        if (i > 0) lines.push([])
        if (text !== "") lines.at(-1)!.push({ text, color })
      })
    }
  }
  add(lowlight.highlight(language, source).children, undefined)
  return lines
}

// internal

const lowlight = createLowlight()

type Nodes = ReturnType<typeof lowlight.highlight>["children"]

const grammars: Record<Language, () => Promise<{ readonly default: LanguageFn }>> = {
  csharp: () => import("highlight.js/lib/languages/csharp"),
  go: () => import("highlight.js/lib/languages/go"),
  java: () => import("highlight.js/lib/languages/java"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
}

/** Few colors, so that the failing line stays the loudest. */
const colors: Record<string, string> = {
  "hljs-comment": "code-comment",
  "hljs-keyword": "code-keyword",
  "hljs-literal": "code-value",
  "hljs-number": "code-value",
  "hljs-regexp": "code-string",
  "hljs-string": "code-string",
  // A value inside a string.
  "hljs-subst": "code-plain",
}

const colorOf = (classes: unknown): string | undefined =>
  Array.isArray(classes) ? colors[String(classes[0])] : undefined
