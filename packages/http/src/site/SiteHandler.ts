/** Handlers of pages and OAuth, with the failures that they share. */
import type {
  AccessPolicy,
  AccountMails,
  MemberMails,
  OAuth,
  Projects,
  Sessions,
  SignIn,
  StorageError,
  Users,
} from "@errata/core"
import type { Effect } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import type { ForeignForm, NotAForm } from "./Forms.js"
import type { NoAccount } from "./PeopleIdentity.js"
import type { SiteAnswer, SiteRequest } from "./SiteRequest.js"

export type SiteServices =
  | AccessPolicy.AccessPolicy
  | AccountMails
  | MemberMails
  | OAuth
  | Projects
  | Sessions
  | SignIn
  | Users

export type SiteError =
  | ForeignForm
  | NotAForm
  | BodyRejected
  | NoAccount
  | StorageError
  | AccessPolicy.AccessDenied

export type SiteEffect = Effect.Effect<SiteAnswer, SiteError, SiteServices>

export type SiteHandler = (request: SiteRequest) => SiteEffect
