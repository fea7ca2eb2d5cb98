/** Lists that have no pages. */
import { DateTime, Effect } from "effect"
import { startTable } from "../Table.js"
import type { ListColumn } from "./Listing.js"
import { note, Output, print, printJson } from "./Output.js"

/** Prints the response as JSON, or its items as a table. */
export const wholeList = <A>({
  answer,
  choice,
  columns,
  empty,
  items,
}: {
  readonly choice: { readonly json: boolean }
  readonly answer: unknown
  readonly items: ReadonlyArray<A>
  readonly columns: ReadonlyArray<ListColumn<A>>
  /** Printed if the list is empty. */
  readonly empty: string
}) =>
  Effect.gen(function* () {
    if (choice.json) return yield* printJson(answer)
    if (items.length === 0) return yield* note(empty)
    const now = yield* DateTime.now
    const { width } = yield* Output
    yield* print(
      startTable(columns, width)(items.map((item) => columns.map((column) => column.of(item, now)))),
    )
  })
