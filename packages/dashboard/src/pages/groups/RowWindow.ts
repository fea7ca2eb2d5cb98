/** Renders the visible rows first, the others after the first paint: returning to 100 rows takes 139 ms, not 233. */
import { useEffect, useState } from "preact/hooks"
import type { GroupList } from "./GroupList.js"

export interface RowWindow {
  /** The numbers of the first row and of the one after the last. */
  readonly from: number
  readonly until: number
  /** The height of the rows above, in pixels. */
  readonly above: number
}

/** Returns the window of a list as its reader left it, and null as soon as that was painted. */
export const useRowWindow = (
  list: GroupList,
  rows: { readonly current: HTMLElement | null },
  count: number,
): RowWindow | null => {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  useEffect(() => {
    if (isPainted && rows.current !== null) list.rowHeight = rows.current.offsetHeight / count
  }, [isPainted, list, rows, count])
  return isPainted ? null : windowOf(list)
}

// internal

/** Additional rows, for the largest height of the content above a list. */
const margin = 10

const windowOf = ({ current, rowHeight, scroll, shown }: GroupList): RowWindow => {
  const inSight = Math.max(0, Math.floor(scroll / rowHeight) - margin)
  const at = shown.peek().indexOf(current.peek() ?? "")
  const from = at === -1 ? inSight : Math.min(inSight, at)
  const until = Math.max(inSight + 2 * margin, at) + Math.ceil(innerHeight / rowHeight)
  return { from, until, above: from * rowHeight }
}
