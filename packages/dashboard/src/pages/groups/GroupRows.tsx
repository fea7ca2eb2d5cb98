import { useComputed } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useBars } from "../../data/activity.js"
import { count, counted } from "../../text/Numbers.js"
import { loadGroupPageAhead } from "../group/loadGroupPage.js"
import { type GroupList, rowAt } from "./GroupList.js"
import { GroupRow } from "./GroupRow.js"
import { useRowsAtFirst } from "./RowsAtFirst.js"

/** The rows of a list under their headings. */
export const GroupRows = ({
  list,
  total,
  projectName,
}: {
  readonly list: GroupList
  /** Number of matching groups, e.g. `1,000+`, or null if it is unknown. */
  readonly total: string | null
  /** Names the project of a group in lists of several; null in the list of one. */
  readonly projectName: ((projectId: number) => string) | null
}) => {
  const state = list.state.value
  const keys = list.shown.value
  useBars(keys.flatMap((key) => rowAt(key)?.peek() ?? []))
  const isAll = useComputed(() => keys.length > 0 && keys.every((key) => list.selected.value.has(key))).value
  const rendered = keys.slice(0, useRowsAtFirst(list))
  // Most readers of a list open a group next.
  useEffect(loadGroupPageAhead, [])
  if (state === null) return null
  return (
    <>
      <div class="list card">
        <div class="list-head">
          <label class="check">
            <input
              type="checkbox"
              aria-label="Select all groups that are shown"
              checked={isAll}
              onChange={({ currentTarget }) => list.selectAll(currentTarget.checked)}
            />
          </label>
          <span>
            {total === null ? counted(keys.length, "group") : `${total} group${total === "1" ? "" : "s"}`}
          </span>
          <span aria-hidden="true">24 h</span>
          <span aria-hidden="true">Reports</span>
          <span aria-hidden="true">Users</span>
          <span aria-hidden="true">Last seen</span>
        </div>
        {sectionsOf(rendered, state.headings).map(([heading, keys]) => (
          <section key={heading} aria-label={heading}>
            <h2>{heading}</h2>
            <ul>
              {keys.map((key) => (
                <GroupRow
                  key={key}
                  list={list}
                  rowKey={key}
                  project={projectName?.(Number(key.split("/")[0])) ?? null}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {state.hasMore && (
        <button
          type="button"
          class="more"
          aria-disabled={list.isLoadingMore.value}
          onClick={() => list.loadMore()}
        >
          {list.isLoadingMore.value ? "Loading…" : `Show more than these ${count(keys.length)}`}
        </button>
      )}
    </>
  )
}

// internal

/** Runs of keys with the same heading. If a heading repeats after a page was added, it is a separate run. */
const sectionsOf = (
  keys: ReadonlyArray<string>,
  headings: ReadonlyMap<string, string>,
): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const sections: Array<readonly [string, Array<string>]> = []
  for (const key of keys) {
    const heading = headings.get(key) ?? ""
    const last = sections.at(-1)
    if (last?.[0] === heading) last[1].push(key)
    else sections.push([heading, [key]])
  }
  return sections
}
