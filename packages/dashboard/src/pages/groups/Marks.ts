/** Releases as marks in a chart. */
import type { ReleaseAppearance } from "@errata/api/promise"
import type { Mark } from "../../parts/BarChart.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"

interface Marked {
  readonly marks: ReadonlyArray<Mark>
  /** Number of releases without a mark. */
  readonly others: number
}

/** Returns the last releases that appeared since the start of a chart. */
export const marksOf = (releases: ReadonlyArray<ReleaseAppearance>, since: string): Marked => {
  const inside = releases.filter(({ appeared_at }) => Date.parse(appeared_at) >= Date.parse(since))
  const marks = inside
    .slice(0, maxMarks)
    .map(({ appeared_at: at, version }) => ({ at, name: line(cut(version, 60)) }))
  return { marks, others: inside.length - marks.length }
}

/** Explains the line of a chart and its marks: `Line: the day before · 1: shop@1.4.0`. */
export const captionOf = (beforeName: string, { marks, others }: Marked): string =>
  [
    `Line: ${beforeName}`,
    ...marks.map(({ name }, i) => `${i + 1}: ${name}`),
    ...(others === 0 ? [] : [`${counted(others, "earlier release")} not marked`]),
  ].join(" · ")

// internal

/** More would cover each other. */
const maxMarks = 5
