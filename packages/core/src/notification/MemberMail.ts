/** Mail to the members of a project: each person's own settings. */
import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"

/**
 * The notifications of rules that a person gets by mail.
 *
 * - `everything`: all that are sent to members.
 * - `new_and_reopened`: about new and reopened groups, and about groups that are assigned to the person.
 * - `assigned`: about groups that are assigned to the person.
 * - `nothing`: none.
 */
export const MailMode = Schema.Literals(["everything", "new_and_reopened", "assigned", "nothing"])
export type MailMode = typeof MailMode.Type

/** How often a person gets a digest of the project: at 8:00 in the project's time zone, a weekly one on Mondays. */
export const DigestInterval = Schema.Literals(["never", "daily", "weekly"])
export type DigestInterval = typeof DigestInterval.Type

/** A person's settings for the mail of a project. */
export interface MemberMail {
  readonly mode: MailMode
  readonly digest: DigestInterval
}

/** The default settings of a person. */
export const defaultMemberMail: MemberMail = { mode: "new_and_reopened", digest: "never" }

/** A person who may get mail of a project. */
export interface MailMember extends MemberMail {
  readonly projectId: ProjectId
  readonly userId: UserId
  readonly emailAddress: string
}

/** A digest that is sent at a time of its own. */
export interface DigestSubscription {
  readonly projectId: ProjectId
  readonly userId: UserId
  readonly digest: Exclude<DigestInterval, "never">
  /** The end of the last one; null before the first. */
  readonly lastAt: DateTime.Utc | null
}

/** An address that gets no mail, because a mail server said that it does not exist. */
export interface PausedAddress {
  /** In lower case. */
  readonly address: string
  /** The answer of the mail server. */
  readonly detail: string
  readonly pausedAt: DateTime.Utc
}
