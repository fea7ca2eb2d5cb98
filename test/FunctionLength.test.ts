import { readFileSync } from "node:fs"
import { parseSync } from "oxc-parser"
import { expect, it } from "vitest"
import { packages, sources } from "./Imports.js"

/** A function and the functions directly inside it. Members of a service are counted separately. */
interface Block {
  readonly start: number
  readonly lines: number
  readonly inner: Array<Block>
}

const isFunction = (type: unknown): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression"

const blocksOf = (source: string, file: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const visit = (node: unknown, into: Array<Block>): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, into)
    else if (typeof node === "object" && node !== null) {
      const { end, start, type } = node as { start: number; end: number; type: unknown }
      let inner = into
      if (isFunction(type)) {
        const block = { start, lines: source.slice(start, end).split("\n").length, inner: [] }
        into.push(block)
        blocks.push(block)
        inner = block.inner
      }
      for (const child of Object.values(node)) visit(child, inner)
    }
  }
  visit(parseSync(file, source).program.body, [])
  return blocks
}

/** Lines of a function without inner functions longer than three lines. */
const ownLines = ({ inner, lines }: Block): number =>
  inner.reduce((left, block) => (block.lines > 3 ? left - block.lines + 1 : left), lines)

it("keeps every function on one screen: at most 90 lines of its own", () => {
  const long = sources(packages)
    .filter((file) => /\/src\//.test(file) && !/\/(node_modules|dist|migrations)\//.test(file))
    .flatMap((file) => {
      const source = readFileSync(file, "utf8")
      return blocksOf(source, file)
        .filter((block) => ownLines(block) > 90)
        .map((block) => `${file}:${source.slice(0, block.start).split("\n").length}`)
    })
  expect(long).toEqual([])
})
