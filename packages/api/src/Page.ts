import type { Page } from "@errata/core"
import { Schema } from "effect"
import { flag, intOrNull } from "./Fields.js"
import { described } from "./Json.js"

/** The response of a list: its items under a plural name, and the cursor of the next page. */
export const pageOf = <Key extends string, Item extends Schema.Top>(key: Key, item: Item) =>
  pageWith(key, item, {})

/** A page with additional fields. */
export const pageWith = <Key extends string, Item extends Schema.Top, Fields extends Schema.Struct.Fields>(
  key: Key,
  item: Item,
  fields: Fields,
  order = "newest first",
  identifier = `${pascalCase(key)}Page`,
) => {
  const items = described(`The ${key.replaceAll("_", " ")} of this page, ${order}`, Schema.Array(item))
  const [example] = Schema.resolveAnnotations(item)?.["examples"] ?? []
  return Schema.Struct({
    ...({ [key]: items } as { readonly [K in Key]: typeof items }),
    next_cursor: intOrNull("Value of `cursor` for the next page. Null on the last page"),
    has_more: flag("True if another page follows"),
    ...fields,
  }).annotate({
    identifier,
    examples: [{ [key]: [example], next_cursor: null, has_more: false } as never],
  })
}

/** The fields of a page beside its items. */
export const pageFields = (page: Page.Page<unknown>) => ({
  next_cursor: page.nextCursor,
  has_more: page.nextCursor !== null,
})

// internal

const pascalCase = (key: string): string =>
  key.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
