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
  const [cursors, setCursors] = useState<ReadonlyArray<number | null>>([null])
  return (
    <>
      {cursors.map((cursor, i) => (
        <PageOf
          key={cursor}
          {...props}
          cursor={cursor}
          onMore={i === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : null}
        />
      ))}
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
  more,
  name,
  onMore,
  queryOf,
  rows,
}: Props<P> & { readonly cursor: number | null; readonly onMore: ((next: number) => void) | null }) => {
  const { data, error } = useQuery(queryOf(cursor))
  if (data === undefined) {
    return entry(
      error === null ? (
        <Skeleton rows={rows} label={`the ${name}`} />
      ) : (
        <Problem title={`The ${name} could not be loaded.`} error={error} />
      ),
    )
  }
  const { next_cursor: next } = data
  return (
    <>
      {children(data, cursor === null)}
      {next !== null &&
        onMore !== null &&
        entry(
          <button type="button" onClick={() => onMore(next)}>
            {more}
          </button>,
        )}
    </>
  )
}
