/** Formats users for people. */
import type { AssigneeView, CreatedUserView, RotatedKeyView, SignInLinkView, UserView } from "@errata/api"
import type { DateTime } from "effect"
import { type Field, fieldLines, yesNo } from "./Detail.js"
import type { ListColumn } from "./Listing.js"
import { absolute, relative } from "./Moments.js"

export const userColumns: ReadonlyArray<ListColumn<UserView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "EMAIL", flexible: true, of: (user) => user.email_address },
  { title: "NAME", flexible: true, of: ({ name }) => name },
  { title: "ROLE", of: ({ role }) => role },
  { title: "PROJECTS", flexible: true, of: (user) => projectsText(user) },
  { title: "CREATED", of: (user, now) => relative(user.created_at, now) },
]

export const assigneeColumns: ReadonlyArray<ListColumn<AssigneeView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "NAME", flexible: true, of: ({ name }) => name },
]

export const userLines = (user: UserView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines(userFields(user, now))

export const createdLines = (user: CreatedUserView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines([...userFields(user, now), ...linkFields(user, now)])

export const linkLines = (link: SignInLinkView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines(linkFields(link, now))

export const keyLines = ({ api_key: key }: RotatedKeyView): ReadonlyArray<string> =>
  fieldLines([["API key (shown only now)", key]])

// internal

const userFields = (user: UserView, now: DateTime.DateTime): ReadonlyArray<Field> => [
  ["User", user.id],
  ["Name", user.name],
  ["Email", user.email_address],
  ["Role", user.role],
  ["Active", yesNo(user.active)],
  ["Projects", projectsText(user)],
  ["Created", absolute(user.created_at, now)],
]

const linkFields = (link: SignInLinkView, now: DateTime.DateTime): ReadonlyArray<Field> => [
  ["Sign-in link", link.sign_in_link],
  ["Works once, until", absolute(link.sign_in_link_expires_at, now)],
  ["Sent by mail", yesNo(link.mailed)],
]

const projectsText = ({ project_ids: ids, role }: UserView): string =>
  role === "admin" ? "all" : ids.length === 0 ? "none" : ids.join(", ")
