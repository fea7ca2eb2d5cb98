/** Assertions about the groups in a list. */
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Person, Wire } from "./Wire.js"
import type { Query } from "./WireClient.js"

/** Returns the names of the given groups that the list contains, in the given order. */
export const finder =
  (person: Person, project: Json, named: Readonly<Record<string, Json>>) => async (query: Query) => {
    const { groups } = await person.get(`${project.path}/groups`, { limit: 100, ...query })
    const ids = groups.map(({ id }: Json) => id)
    return Object.keys(named)
      .filter((name) => ids.includes(named[name].id))
      .join(" ")
  }

/** Creates a project with a group of each state. */
export const states = async (wire: Wire) => {
  const project = await Given.project(wire)
  const [open, resolved, muted, both] = await Given.groups(wire, project, 4)
  for (const { path } of [resolved, both]) await wire.admin.post(`${path}/resolve`)
  for (const { path } of [muted, both]) await wire.admin.post(`${path}/mute`)
  return finder(wire.admin, project, { open, resolved, muted, both })
}

/** Creates a project with a group of each severity. */
export const levels = async (wire: Wire) => {
  const project = await Given.project(wire)
  const names = ["fatal", "error", "warning", "info", "debug"]
  const groups = await Given.groups(
    wire,
    project,
    names.map((level) => Given.failure({ level })),
  )
  return finder(wire.admin, project, Object.fromEntries(names.map((name, i) => [name, groups[i]])))
}
