/** Creates an account. The person signs in with a link, which Errata mails or the admin passes on. */
import type { CreatedUser } from "@errata/api/promise"
import { createPerson, type Role } from "../../data/people.js"
import { Confirm } from "../../parts/Confirm.js"
import { Field, TextField, textOf } from "../../parts/Form.js"

export const Invite = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: (person: CreatedUser) => void
  readonly onClose: () => void
}) => (
  <Confirm
    title="Add a person"
    action="Create account"
    labels={labels}
    isDangerous={false}
    run={async (fields) =>
      onCreated(
        await createPerson({
          email_address: textOf(fields, "email_address"),
          name: textOf(fields, "name"),
          role: textOf(fields, "role") as Role,
        }),
      )
    }
    onClose={onClose}
  >
    {(form) => (
      <>
        <TextField
          form={form}
          name="email_address"
          inputMode="email"
          maxLength={200}
          hint="Errata creates a sign-in link, and sends it to this address where mail is set up."
        />
        <TextField
          form={form}
          name="name"
          maxLength={200}
          hint="Optional. Without it, the name is the email address."
        />
        <Field
          form={form}
          name="role"
          hint="Admins may do everything. Members triage the groups of their projects."
        >
          {(control) => (
            <select {...control}>
              <option value="member">Member</option>
              <option value="admin">Admin</option>
            </select>
          )}
        </Field>
      </>
    )}
  </Confirm>
)

// internal

const labels = { email_address: "Email address", name: "Name", role: "Role" }
