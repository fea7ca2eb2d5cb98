/** The link that signs a person in once. */
import type { SignInLink, User } from "@errata/api/promise"
import { Time } from "../../parts/Time.js"
import { nameOf } from "../../text/Names.js"
import { Once } from "./Once.js"

export const SignInLinkDialog = ({
  user,
  link,
  onClose,
}: {
  readonly user: Pick<User, "name" | "email_address">
  readonly link: SignInLink
  readonly onClose: () => void
}) => (
  <Once
    title={`Sign-in link for ${nameOf(user)}`}
    label="Sign-in link"
    text={link.sign_in_link}
    onClose={onClose}
  >
    {link.mailed && <p>Sent to {user.email_address}.</p>}
    <p>
      {link.mailed
        ? "You can pass the link on yourself as well, over a channel that you trust."
        : "Pass this link on over a channel that you trust."}{" "}
      It works once, until <Time value={link.sign_in_link_expires_at} isAbsolute />. Errata shows it only now.
    </p>
  </Once>
)
