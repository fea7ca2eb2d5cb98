/** Users with access to a project. For admins only. */
import type { User } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { rejected } from "../../data/fieldProblems.js"
import { addMember, membersQuery, removeMember, usersQuery } from "../../data/members.js"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { Field, Form, Submit, textOf, useForm } from "../../parts/Form.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { focusHeading } from "../../parts/Page.js"
import { nameOf } from "../../text/Names.js"
import { cut, line } from "../../text/SafeText.js"
import type { SectionProps } from "./SectionProps.js"

export const Members = ({ project, can }: SectionProps) => {
  const members = useQuery(membersQuery(project.id))
  const isAdmin = can("project.administer")
  const [leaving, setLeaving] = useState<User | null>(null)
  return (
    <>
      <p class="lead">Members triage the groups of this project. Admins have access to every project.</p>
      {isAdmin && <AddMember projectId={project.id} members={members.data ?? []} />}
      <Card title="People with access">
        <Loaded query={members} name="members">
          {(people) => (
            <ul class="rows">
              {people.map((user) => (
                <li key={user.id}>
                  <div class="grow">
                    <b>{nameOf(user)}</b> <span class="tag">{user.role}</span>
                    <p class="faint">{line(cut(user.email_address, 200))}</p>
                  </div>
                  {isAdmin && user.role !== "admin" && (
                    <button
                      type="button"
                      aria-label={`Remove ${nameOf(user)}`}
                      onClick={() => setLeaving(user)}
                    >
                      Remove
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      {leaving !== null && (
        <Confirm
          title={`Remove ${nameOf(leaving)}?`}
          action="Remove"
          run={() => removeMember(project.id, leaving.id)}
          done={`Removed ${nameOf(leaving)} from the project.`}
          onClose={() => setLeaving(null)}
        >
          {() => <p>The person loses access to the project at once. You can add the person again.</p>}
        </Confirm>
      )}
    </>
  )
}

// internal

const labels = { user_id: "Person" }

const AddMember = ({
  projectId,
  members,
}: {
  readonly projectId: number
  readonly members: ReadonlyArray<User>
}) => {
  const form = useForm(labels)
  const users = useQuery(usersQuery)
  const known = new Set(members.map(({ id }) => id))
  const add = async (fields: FormData) => {
    const user = users.data?.find(({ id }) => id === Number(textOf(fields, "user_id")))
    const add = () =>
      user === undefined
        ? Promise.reject(rejected("user_id", "is not chosen"))
        : addMember(projectId, user.id)
    if (!(await form.run(add)) || user === undefined) return
    notify(`Added ${nameOf(user)} to the project.`)
    // The form disappears after the last person is added.
    focusHeading()
  }
  return (
    <Card title="Add a person">
      <Loaded query={users} name="people" rows={1}>
        {(all) => {
          const others = all.filter(({ id, role }) => role !== "admin" && !known.has(id))
          return others.length === 0 ? (
            <p class="nothing">
              Everyone has access already. Add accounts for other people on the page{" "}
              <Link to="settings/people">People</Link>.
            </p>
          ) : (
            <Form form={form} onSubmit={add}>
              <Field form={form} name="user_id">
                {(control) => (
                  <select {...control}>
                    <option value="">Choose a person</option>
                    {others.map((user) => (
                      <option key={user.id} value={user.id}>
                        {nameOf(user)} ({line(cut(user.email_address, 100))})
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Submit form={form}>Add to project</Submit>
            </Form>
          )
        }}
      </Loaded>
    </Card>
  )
}
