/** A list that shows its first page, and another one with each press of a button. */
import type { QueryObserverOptions } from "@tanstack/query-core"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useQuery } from "../data/query.js"
import { Problem } from "./Problem.js"
import { Skeleton } from "./Skeleton.js"

interface Paged {
  readonly next_cursor: number | null
}

interface Props<P extends Paged> {
  readonly queryOf: (cursor: number | null) => QueryObserverOptions<P>
  /** In the plural: `reports`. */
  readonly name: string
  /** The rows of the placeholder. */
  readonly rows: number
  /** The label of the button. */
  readonly more: string
  /** Makes an entry of the list that holds the placeholder, the problem or the button. */
  readonly entry: (content: ComponentChildren) => ComponentChildren
  readonly children: (page: P, isFirst: boolean) => ComponentChildren
}

/** Cursors belong to a list: give another list another `key`. */
export const Pages = <P extends Paged>(props: Props<P>) => {
  const { entry, more, name, queryOf } = props
  const [cursors, setCursors] = useState<ReadonlyArray<number | null>>([null])
  const last = useQuery(queryOf(cursors.at(-1)!)).data
  const next = last?.next_cursor ?? null
  return (
    <>
      {cursors.map((cursor) => (
        <PageOf key={cursor} {...props} cursor={cursor} />
      ))}
      {/* It stays after the last page, because it may have the focus. */}
      {(next !== null || cursors.length > 1) &&
        entry(
          <button
            type="button"
            aria-disabled={next === null}
            onClick={() => next !== null && setCursors([...cursors, next])}
          >
            {next === null && last !== undefined ? `No more ${name}` : more}
          </button>,
        )}
    </>
  )
}

/** Returns an entry that spans the columns of a table. */
export const rowOf = (columns: number) => (content: ComponentChildren) => (
  <tr>
    <td colSpan={columns}>{content}</td>
  </tr>
)

// internal

const PageOf = <P extends Paged>({
  children,
  cursor,
  entry,
  name,
  queryOf,
  rows,
}: Props<P> & { readonly cursor: number | null }) => {
  const { data, error } = useQuery(queryOf(cursor))
  if (data !== undefined) return <>{children(data, cursor === null)}</>
  return entry(
    error === null ? (
      <Skeleton rows={rows} label={`the ${name}`} />
    ) : (
      <Problem title={`The ${name} could not be loaded.`} error={error} />
    ),
  )
}
