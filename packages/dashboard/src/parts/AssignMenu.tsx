/** Assigns groups to someone of their project. Groups of several projects can be assigned to the reader alone. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { describe } from "../data/failure.js"
import { assigneesQuery } from "../data/group.js"
import type { GroupRef } from "../data/groups.js"
import { useMe } from "../data/me.js"
import { useQuery } from "../data/query.js"
import { assign } from "../data/triage.js"
import { cut, line } from "../text/SafeText.js"
import { Menu } from "./Menu.js"

export const AssignMenu = ({
  groups,
  isAssigned,
  ...menu
}: {
  readonly groups: ReadonlyArray<GroupRef>
  /** True if the menu offers to remove the assignees. */
  readonly isAssigned: boolean
  readonly label: ComponentChildren
  readonly id?: string
  readonly align?: "start" | "end"
}) => {
  const me = useMe()?.user
  const [first, ...others] = new Set(groups.map(({ project_id }) => project_id))
  const isOneProject = first !== undefined && others.length === 0
  const { data: people = [], error } = useQuery({ ...assigneesQuery(first ?? 0), enabled: isOneProject })
  const [wanted, want] = useState("")
  const found = people.filter(
    ({ id, name }) => id !== me?.id && name.toLowerCase().includes(wanted.toLowerCase()),
  )
  return (
    <Menu {...menu}>
      {me != null && (
        <button type="button" onClick={() => assign(groups, me.id, me.name)}>
          Me <kbd>a</kbd>
        </button>
      )}
      {isAssigned && (
        <button type="button" onClick={() => assign(groups, null)}>
          Nobody
        </button>
      )}
      {!isOneProject && <p>To assign to others, select groups of one project.</p>}
      {people.length > 8 && (
        <input
          type="search"
          aria-label="Find a person"
          placeholder="Find a person"
          value={wanted}
          onInput={({ currentTarget }) => want(currentTarget.value)}
        />
      )}
      {found.map((person) => (
        <button key={person.id} type="button" onClick={() => assign(groups, person.id, person.name)}>
          {line(cut(person.name, 100))}
        </button>
      ))}
      {error !== null && <p>The people could not be loaded. {describe(error)}</p>}
    </Menu>
  )
}
