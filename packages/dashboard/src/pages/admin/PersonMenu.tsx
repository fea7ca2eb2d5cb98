/** The actions of an admin on an account. */
import type { SignInLink, User } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { notify } from "../../data/notices.js"
import { createSignInLink, deactivate, replaceApiKey, setRole } from "../../data/people.js"
import { Confirm } from "../../parts/Confirm.js"
import { Menu } from "../../parts/Menu.js"
import { useAction } from "../../parts/useAction.js"
import { nameOf } from "../../text/Names.js"
import { Once } from "./Once.js"
import { SignInLinkDialog } from "./SignInLinkDialog.js"

export const PersonMenu = ({ user, isSelf, isLastAdmin }: Props) => {
  const [asked, ask] = useState<Question | null>(null)
  const [link, setLink] = useState<SignInLink | null>(null)
  const [apiKey, setApiKey] = useState<string | null>(null)
  const name = nameOf(user)
  const { run } = useAction("The sign-in link was not created.")
  const makeLink = () => run(async () => setLink(await createSignInLink(user.id)))
  return (
    <>
      <Menu label="Manage ▾" name={`Manage ${name}`} align="end">
        <button type="button" onClick={makeLink}>
          Create a sign-in link
        </button>
        <button type="button" onClick={() => ask("key")}>
          Replace the API key…
        </button>
        {!isLastAdmin && (
          <>
            <button type="button" onClick={() => ask("role")}>
              {user.role === "admin" ? "Make member…" : "Make admin…"}
            </button>
            <button type="button" onClick={() => ask("deactivate")}>
              Deactivate…
            </button>
          </>
        )}
        {isLastAdmin && <p>The last admin keeps the role and the account.</p>}
      </Menu>
      {link !== null && <SignInLinkDialog user={user} link={link} onClose={() => setLink(null)} />}
      {apiKey !== null && (
        <Once title={`API key of ${name}`} label="API key" text={apiKey} onClose={() => setApiKey(null)}>
          <p>Errata shows this key only now. The previous key no longer works.</p>
        </Once>
      )}
      {asked !== null && (
        <Asked question={asked} user={user} isSelf={isSelf} onKey={setApiKey} onClose={() => ask(null)} />
      )}
    </>
  )
}

// internal

type Question = "key" | "role" | "deactivate"

interface Props {
  readonly user: User
  readonly isSelf: boolean
  /** The server refuses to leave the instance without an admin. */
  readonly isLastAdmin: boolean
}

const Asked = ({
  question,
  user,
  isSelf,
  onKey,
  onClose,
}: {
  readonly question: Question
  readonly user: User
  readonly isSelf: boolean
  readonly onKey: (key: string) => void
  readonly onClose: () => void
}) => {
  const name = nameOf(user)
  if (question === "key") {
    return (
      <Confirm
        title={`Replace the API key of ${name}?`}
        action="Replace the API key"
        run={async () => onKey(await replaceApiKey(user.id))}
        onClose={onClose}
      >
        {() => <p>Programs that use the current key stop working at once. The new key is shown once.</p>}
      </Confirm>
    )
  }
  if (question === "role") {
    const role = user.role === "admin" ? "member" : "admin"
    return (
      <Confirm
        title={`Make ${name} ${role === "admin" ? "an admin" : "a member"}?`}
        action={role === "admin" ? "Make admin" : "Make member"}
        isDangerous={role === "member"}
        run={() => setRole(user.id, role)}
        onClose={(isDone) => {
          onClose()
          if (isDone) notify(`${name} is now ${role === "admin" ? "an admin" : "a member"}.`)
        }}
      >
        {() => (
          <p>
            {role === "admin"
              ? "Admins have access to every project, and change people and settings."
              : `Members have access only to their projects.${isSelf ? " You lose access to these settings at once." : ""}`}
          </p>
        )}
      </Confirm>
    )
  }
  return (
    <Confirm
      title={`Deactivate ${name}?`}
      action="Deactivate"
      run={() => deactivate(user.id)}
      done={`Deactivated ${name}.`}
      onClose={onClose}
    >
      {() => (
        <p>
          {isSelf ? "This is your own account. " : ""}The API key, sessions, sign-in links and connected
          applications stop working at once. An account cannot be reactivated. To give the person access
          again, create a new account.
        </p>
      )}
    </Confirm>
  )
}
