/** Saves all groups of a list as a CSV file, page by page from the API. */
import { signal } from "@preact/signals"
import { keyOf, type Row, readGroups } from "../../data/groups.js"
import type { ListFilter } from "../../data/listFilter.js"
import { notify, notifyFailure } from "../../data/notices.js"
import { href } from "../../data/root.js"
import { groupPath } from "../../data/trail.js"
import { count, counted } from "../../text/Numbers.js"
import { groupsCsv } from "./GroupsCsv.js"

/** Rows of the largest file. */
const maxRows = 10_000

/** Number of rows read so far. Null without a download. */
export const rowsRead = signal<number | null>(null)

export const downloadCsv = async (
  filter: ListFilter,
  projectName: (projectId: number) => string,
): Promise<void> => {
  if (rowsRead.peek() !== null) return
  rowsRead.value = 0
  try {
    const { groups, hasMore, skipped } = await readAll(filter)
    save(groupsCsv(groups, projectName, (group) => new URL(href(groupPath(group)), location.href).href))
    notify(
      [
        hasMore
          ? `Downloaded the first ${count(groups.length)} rows. More groups match: narrow the query to get them.`
          : `Downloaded ${counted(groups.length, "row")}.`,
        ...(skipped.size === 0
          ? []
          : [`Without ${[...skipped].map(projectName).join(", ")}: no response in time.`]),
      ].join(" "),
    )
  } catch (error) {
    notifyFailure("The groups were not downloaded.", error)
  } finally {
    rowsRead.value = null
  }
}

// internal

const pageSize = 100

const readAll = async (filter: ListFilter) => {
  // By key: a group that moves while the pages are read comes twice.
  const groups = new Map<string, Row>()
  const skipped = new Set<number>()
  let cursor: number | null = null
  do {
    const page = await readGroups(filter, cursor, pageSize)
    for (const group of page.groups) groups.set(keyOf(group), group)
    for (const id of page.skipped_project_ids ?? []) skipped.add(id)
    rowsRead.value = groups.size
    cursor = page.has_more && page.next_cursor !== cursor ? page.next_cursor : null
  } while (cursor !== null && groups.size < maxRows)
  const hasMore = cursor !== null || groups.size > maxRows
  return { groups: [...groups.values()].slice(0, maxRows), hasMore, skipped }
}

const save = (csv: string): void => {
  // Spreadsheets read a file with a byte order mark as UTF-8.
  const url = URL.createObjectURL(new Blob(["\uFEFF", csv], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = `errata-groups-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
