/** Assigns groups to someone of their project. */
import type { ComponentChildren } from "preact"
import { assigneesQuery } from "../data/group.js"
import type { GroupRef } from "../data/groups.js"
import { useMe } from "../data/me.js"
import { useQuery } from "../data/query.js"
import { assign } from "../data/triage.js"
import { Menu } from "./Menu.js"

export const AssignMenu = ({
  projectId,
  groups,
  isAssigned,
  label,
  id,
}: {
  readonly projectId: number
  readonly groups: ReadonlyArray<GroupRef>
  /** Whether the menu offers to take the groups from their assignees. */
  readonly isAssigned: boolean
  readonly label: ComponentChildren
  readonly id?: string
}) => {
  const me = useMe()?.user
  const people = useQuery(assigneesQuery(projectId)).data ?? []
  return (
    <Menu label={label} {...(id === undefined ? {} : { id })}>
      {me != null && (
        <button type="button" onClick={() => assign(groups, me.id, me.name)}>
          Me <kbd>a</kbd>
        </button>
      )}
      {people
        .filter((person) => person.id !== me?.id)
        .map((person) => (
          <button key={person.id} type="button" onClick={() => assign(groups, person.id, person.name)}>
            {person.name}
          </button>
        ))}
      {isAssigned && (
        <button type="button" onClick={() => assign(groups, null)}>
          Nobody
        </button>
      )}
    </Menu>
  )
}
