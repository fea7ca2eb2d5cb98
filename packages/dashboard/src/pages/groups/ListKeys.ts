import { useLocation } from "preact-iso/router"
import { useMe } from "../../data/me.js"
import { href } from "../../data/root.js"
import { live } from "../../data/settings.js"
import { groupPath } from "../../data/trail.js"
import { assign, setResolved } from "../../data/triage.js"
import { type Shortcut, useKeys } from "../../keys/Keys.js"
import { focusQuery } from "../../parts/query/QueryField.js"
import type { GroupList } from "./GroupList.js"
import { openSaved, savedMenuId } from "./SavedQueries.js"

/** The shortcuts of a list. Actions are about the ticked groups, else about the current row. */
export const useListKeys = (
  list: GroupList,
  canChange: boolean,
  { download, merge }: { readonly merge: () => void; readonly download: () => void },
): void => {
  const { route } = useLocation()
  const me = useMe()?.user
  const move = (by: number) => {
    list.move(by)
    focusRow(list)
  }
  const open = () => {
    const row = list.currentRow()
    if (row !== undefined) route(href(groupPath(row)))
  }
  /** Ticks the current row if none is, so that the bar with the menus appears. */
  const withSelection = (act: () => void) => {
    if (list.targets().length === 0) return
    const key = list.current.peek()
    if (list.selectedRows.peek().length === 0 && key !== null) list.toggle(key)
    requestAnimationFrame(act)
  }
  const withCurrent = (act: (key: string) => void) => {
    const key = list.current.peek()
    if (key !== null) act(key)
  }
  const openMenu = (id: string) => withSelection(() => document.getElementById(id)?.click())
  const changes: ReadonlyArray<Shortcut> = [
    { key: "r", label: "Resolve or reopen", run: () => toggleResolved(list) },
    { key: "v", label: "Resolve in a release", run: () => openMenu("bulk-resolve-in") },
    { key: "m", label: "Mute", run: () => openMenu("bulk-mute") },
    {
      key: "a",
      label: "Assign to me",
      run: () => {
        const groups = list.targets()
        if (me != null && groups.length > 0) void assign(groups, me.id, me.name)
      },
    },
    { key: "A", label: "Assign to …", run: () => openMenu("bulk-assign") },
    { key: "M", label: "Merge", run: () => withSelection(merge) },
  ]
  useKeys("Groups", [
    { key: "j", label: "Next group", run: () => move(1) },
    { key: "k", label: "Previous group", run: () => move(-1) },
    { key: "Enter", label: "Open", run: open },
    { key: "o", label: "Open", run: open },
    { key: "x", label: "Select", run: () => withCurrent((key) => list.toggle(key)) },
    { key: "X", label: "Select up to here", run: () => withCurrent((key) => list.extend(key)) },
    ...(canChange ? changes : []),
    { key: "Escape", label: "Clear the selection", run: () => list.selectAll(false) },
    { key: "/", label: "Query", run: focusQuery },
    { key: ".", label: "Show new groups", run: () => list.reveal() },
    { key: "q", label: "Saved queries", run: () => document.getElementById(savedMenuId)?.click() },
    { key: "s", label: "Save or change queries", run: openSaved },
    { key: "D", label: "Download as CSV", run: download },
    { key: "l", label: "Live", run: () => (live.value = live.peek() === "on" ? "off" : "on") },
  ])
}

/** Returns false if the row is not in the list. */
export const focusRow = (list: GroupList): boolean => {
  const link = document.getElementById(`row-${list.current.peek()}`)
  link?.focus({ preventScroll: true })
  link?.closest("li")?.scrollIntoView({ block: "nearest" })
  return link !== null
}

// internal

const toggleResolved = (list: GroupList): void => {
  const groups = list.targets()
  if (groups.length > 0) void setResolved(groups, !groups.every(({ resolved }) => resolved))
}
