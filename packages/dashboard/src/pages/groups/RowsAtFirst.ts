/** Renders the rows in sight first, and the others after the first frame. */
import { useEffect, useState } from "preact/hooks"
import type { GroupList } from "./GroupList.js"

/** Returns the number of rows to render. */
export const useRowsAtFirst = ({ current, scroll }: GroupList): number => {
  // The reader comes back to a row, which may be anywhere.
  const [isPainted, setPainted] = useState(scroll > 0 || current.peek() !== null)
  // Effects may run before the first frame, and the callbacks of a frame run before its paint.
  useEffect(() => {
    requestAnimationFrame(() => setTimeout(() => setPainted(true)))
  }, [])
  return isPainted ? Number.POSITIVE_INFINITY : Math.ceil(innerHeight / rowHeight)
}

// internal

/** The smallest height of a row, in pixels. */
const rowHeight = 56
