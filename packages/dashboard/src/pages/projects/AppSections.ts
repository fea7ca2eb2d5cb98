/** The projects of the page of projects, by app. */
import type { App, Project } from "@errata/api/promise"

export interface AppSection {
  /** Null without any app. */
  readonly name: string | null
  readonly projects: ReadonlyArray<Project>
}

/**
 * Returns the projects whose name, platform or app contains the text. Apps and their projects are sorted by name, and
 * projects without an app come last.
 */
export const sectionsOf = (
  projects: ReadonlyArray<Project>,
  apps: ReadonlyArray<App>,
  filter: string,
): ReadonlyArray<AppSection> => {
  const text = filter.trim().toLowerCase()
  const appOf = new Map(apps.flatMap(({ name, project_ids }) => project_ids.map((id) => [id, name])))
  const shown = projects
    .filter(({ id, name, platform }) =>
      `${name} ${platform} ${appOf.get(id) ?? ""}`.toLowerCase().includes(text),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))
  const rest = appOf.size === 0 ? null : "Other projects"
  return [...apps.map(({ name }) => name), rest].flatMap((name) => {
    const own = shown.filter(({ id }) => (appOf.get(id) ?? rest) === name)
    return own.length === 0 ? [] : [{ name, projects: own }]
  })
}
