/** Who sees to a group. */
import { useState } from "preact/hooks"
import { describe } from "../../data/failure.js"
import { assigneesQuery } from "../../data/group.js"
import { useMe } from "../../data/me.js"
import type { Person } from "../../data/pending.js"
import { useQuery } from "../../data/query.js"
import { assign } from "../../data/triage.js"
import { Menu } from "../../parts/Menu.js"
import { cut, line } from "../../text/SafeText.js"
import type { ShownGroup } from "./ShownGroup.js"

export const AssignMenu = ({
  group,
  mayChange,
}: {
  readonly group: ShownGroup
  readonly mayChange: boolean
}) => {
  const me = useMe()?.user
  const { data, error } = useQuery<ReadonlyArray<Person>>(assigneesQuery(group.project_id))
  const [wanted, want] = useState("")
  const people = (data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  const to = (person: Person | null) =>
    void assign([{ project_id: group.project_id, id: group.id }], person?.id ?? null, person?.name)
  const mine = data?.find(({ id }) => id === me?.id)
  return (
    <Menu
      id="assign"
      align="end"
      disabled={!mayChange}
      label={
        <>
          Assign <span aria-hidden="true">▾</span> <kbd>a</kbd>
        </>
      }
    >
      {mine !== undefined && group.assignee_id !== mine.id && (
        <button type="button" onClick={() => to(mine)}>
          To me <kbd>a</kbd>
        </button>
      )}
      {group.assignee_id !== null && (
        <button type="button" onClick={() => to(null)}>
          To nobody
        </button>
      )}
      {(data?.length ?? 0) > 8 && (
        <input
          type="search"
          aria-label="Find a person"
          placeholder="Find a person"
          value={wanted}
          onInput={({ currentTarget }) => want(currentTarget.value)}
        />
      )}
      {people
        .filter(({ id }) => id !== me?.id)
        .map((person) => (
          <button
            key={person.id}
            type="button"
            aria-current={group.assignee_id === person.id ? "true" : undefined}
            onClick={() => to(person)}
          >
            {line(cut(person.name, 100))}
          </button>
        ))}
      {data?.length === 0 && <p>Nobody has access to this project.</p>}
      {error !== null && <p>The people could not be loaded. {describe(error)}</p>}
    </Menu>
  )
}
