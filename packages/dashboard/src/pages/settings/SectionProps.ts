/** The properties of a section of the settings. */
import type { Project } from "@errata/api/promise"

export interface SectionProps {
  readonly project: Project
  /** Returns true if the project grants the caller a rule. */
  readonly can: (rule: string) => boolean
  readonly params: Readonly<Record<string, string>>
}
