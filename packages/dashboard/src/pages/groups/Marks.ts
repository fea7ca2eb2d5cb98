/** Releases as marks in a chart. */
import type { ReleaseAppearance } from "@errata/api/promise"
import type { Mark } from "../../parts/BarChart.js"
import { cut, line } from "../../text/SafeText.js"

/** Returns the last releases that appeared since the start of a chart, and the number of earlier ones. */
export const marksOf = (
  releases: ReadonlyArray<ReleaseAppearance>,
  since: string,
): { readonly marks: ReadonlyArray<Mark>; readonly others: number } => {
  const inside = releases.filter(({ appeared_at }) => Date.parse(appeared_at) >= Date.parse(since))
  const marks = inside
    .slice(0, maxMarks)
    .map(({ appeared_at: at, version }) => ({ at, name: line(cut(version, 60)) }))
  return { marks, others: inside.length - marks.length }
}

// internal

/** More would cover each other. */
const maxMarks = 5
