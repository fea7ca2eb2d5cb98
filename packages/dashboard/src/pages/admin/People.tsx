/** Users of the instance. */
import type { CreatedUser, User } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useCan, useMe } from "../../data/me.js"
import { usersQuery } from "../../data/members.js"
import { useQuery } from "../../data/query.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { Invite } from "./Invite.js"
import { PersonMenu } from "./PersonMenu.js"
import { found, isLastAdmin } from "./persons.js"
import { SignInLinkDialog } from "./SignInLinkDialog.js"

export const People = () => {
  const people = useQuery(usersQuery)
  const mayChange = useCan("users.administer")
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedUser | null>(null)
  return (
    <>
      <p class="lead">
        Members triage the groups of their projects. Admins have access to every project and to these
        settings. Add members to a project in its own settings.
      </p>
      <Card
        title="Active accounts"
        actions={
          mayChange && (
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              Add a person
            </button>
          )
        }
      >
        <Loaded query={people} name="people">
          {(all) => <List people={all} mayChange={mayChange} />}
        </Loaded>
      </Card>
      {isAdding && (
        <Invite
          onClose={() => setAdding(false)}
          onCreated={(person) => {
            setAdding(false)
            setCreated(person)
          }}
        />
      )}
      {created !== null && (
        <SignInLinkDialog user={created} link={created} onClose={() => setCreated(null)} />
      )}
    </>
  )
}

// internal

/** Number of rows shown at first. */
const shownAtFirst = 50

const List = ({
  people,
  mayChange,
}: {
  readonly people: ReadonlyArray<User>
  readonly mayChange: boolean
}) => {
  const me = useMe()?.user?.id
  const [text, setText] = useState("")
  const [isWhole, setWhole] = useState(false)
  const matching = found(people, text)
  const shown = isWhole ? matching : matching.slice(0, shownAtFirst)
  return (
    <>
      {people.length > 10 && (
        <div class="card-body">
          <input
            type="search"
            class="people-filter"
            aria-label="Filter people"
            placeholder="Name or email address"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
      )}
      <p class="visually-hidden" role="status">
        {text === "" ? "" : `${matching.length} of ${people.length} people`}
      </p>
      <ul class="rows">
        {shown.map((user) => (
          <li key={user.id}>
            <div class="grow">
              <b>{nameOf(user)}</b> <span class="tag">{user.role}</span>
              {user.id === me && <span class="faint"> you</span>}
              <p class="faint">
                {line(cut(user.email_address, 200))} · {accessOf(user)}
              </p>
            </div>
            {mayChange && (
              <PersonMenu user={user} isSelf={user.id === me} isLastAdmin={isLastAdmin(user, people)} />
            )}
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p class="nothing">Nobody matches.</p>}
      {shown.length < matching.length && (
        <p class="card-body">
          <button type="button" onClick={() => setWhole(true)}>
            Show all {counted(matching.length, "person", "people")}
          </button>
        </p>
      )}
    </>
  )
}

const accessOf = ({ project_ids, role }: User): string =>
  role === "admin"
    ? "all projects"
    : project_ids.length === 0
      ? "no project"
      : counted(project_ids.length, "project")
