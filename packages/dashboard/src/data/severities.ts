import type { Group } from "@errata/api/promise"

export type Severity = Group["severity"]

/** The worst first. */
export const severities: ReadonlyArray<Severity> = ["fatal", "error", "warning", "info", "debug"]
