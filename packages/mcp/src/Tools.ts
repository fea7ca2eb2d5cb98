/** The table of tools, in the order in which clients see them. */
import type { Tool } from "./Tool.js"
import { alertReadingTools } from "./tools/AlertTools.js"
import { groupReadingTools, noteReadingTools } from "./tools/GroupTools.js"
import { projectChangingTools, projectReadingTools } from "./tools/ProjectTools.js"
import { investigationTools, reportReadingTools } from "./tools/ReportTools.js"
import { triageTools } from "./tools/TriageTools.js"

export const tools: ReadonlyArray<Tool> = [
  ...projectReadingTools,
  ...groupReadingTools,
  ...reportReadingTools,
  ...noteReadingTools,
  ...investigationTools,
  ...alertReadingTools,
  ...triageTools,
  ...projectChangingTools,
]
