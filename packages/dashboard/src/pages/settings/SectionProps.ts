/** The properties of a section of the settings. */
import type { ProjectRow } from "../../data/pending.js"

export interface SectionProps {
  readonly project: ProjectRow
  /** Returns true if a rule of the project holds for the caller. */
  readonly can: (rule: string) => boolean
  readonly params: Readonly<Record<string, string>>
}
