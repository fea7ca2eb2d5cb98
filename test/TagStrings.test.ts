/** Sources use combinators or predicates, such as `Option.map` and `Exit.isSuccess`, in place of `_tag` strings. */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { expect, it } from "vitest"
import { packages, sources } from "./Imports.js"

/** Tags of options, results and exits. */
const tags: ReadonlySet<unknown> = new Set(["Some", "None", "Success", "Failure"])

/** `dashboard` and the promise client do not use Effect. */
const isChecked = (path: string): boolean =>
  /^\w[\w-]*\/src\//.test(path) && !/^(?:testing|dashboard|api\/src\/promise)\//.test(path)

interface Expression {
  readonly type: string
}

const isTag = (expression: Expression): boolean => {
  const { name, property, type } = expression as Expression & {
    readonly name?: string
    readonly property?: { readonly name?: string }
  }
  return type === "MemberExpression" ? property?.name === "_tag" : name === "_tag"
}

const isKnown = (expression: Expression): boolean =>
  tags.has((expression as Expression & { readonly value?: unknown }).value)

/** Returns the positions of comparisons of a `_tag` with one of these tags. */
const comparisonsIn = (source: string, file: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  new Visitor({
    BinaryExpression: ({ left, right, start }) => {
      if ((isTag(left) && isKnown(right)) || (isKnown(left) && isTag(right))) found.push(start)
    },
  }).visit(parseSync(file, source).program)
  return found
}

it("compares no tag of an option, a result or an exit", () => {
  const found = sources(packages)
    .filter((file) => isChecked(relative(packages, file)))
    .flatMap((file) => {
      const source = readFileSync(file, "utf8")
      return comparisonsIn(source, file).map(
        (start) => `${relative(packages, file)}:${source.slice(0, start).split("\n").length}`,
      )
    })
  expect(found).toEqual([])
})

it("finds comparisons of tags", () => {
  const find = (source: string) => comparisonsIn(source, "a.ts").length
  expect(find('if (found._tag === "None") return')).toBe(1)
  expect(find('const isDone = ({ _tag }) => "Success" !== _tag')).toBe(1)
  expect(find('if (error._tag === "StorageError" || kind === "None") return')).toBe(0)
})
