/** The properties of a section of the settings. */
import type { ProjectRow } from "../../data/pending.js"

export interface SectionProps {
  readonly project: ProjectRow
  /** Returns true if the project grants the caller a rule. */
  readonly can: (rule: string) => boolean
  readonly params: Readonly<Record<string, string>>
}
