/** The receivers of notifications: targets, single mail addresses, and members. */
import { DateTime, Effect } from "effect"
import type { TargetId } from "../delivery/Target.js"
import * as Mailboxes from "../notification/Mailboxes.js"
import type { MailMember } from "../notification/MemberMail.js"
import { MemberMailStore } from "../notification/MemberMailStore.js"
import { sendsMail } from "../notification/NotificationTarget.js"
import { mailKind, membersKind, type QuietHours, type Target } from "../notification/Target.js"
import { TargetStore } from "../notification/TargetStore.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { AlertMatch } from "./AlertMatch.js"

/** One receiver of one message. */
export interface Recipient {
  readonly targetId: TargetId
  readonly userId: UserId | null
  readonly recipient: string | null
  readonly quietHours: QuietHours | null
}

/** The receivers that projects have. */
export interface Directory {
  readonly targets: ReadonlyMap<ProjectId, ReadonlyArray<Target>>
  /** Empty without mail. */
  readonly members: ReadonlyMap<ProjectId, ReadonlyArray<MailMember>>
}

/** Reads the receivers of some projects. */
export const read = Effect.fnUntraced(function* (projectIds: ReadonlyArray<ProjectId>) {
  const targets = yield* TargetStore
  const mail = yield* MemberMailStore
  const found = yield* targets.ofProjects(projectIds)
  const people = (yield* sendsMail) ? yield* mail.members(projectIds) : []
  return {
    targets: Map.groupBy(found, ({ projectId }) => projectId),
    members: Map.groupBy(people, ({ projectId }) => projectId),
  } satisfies Directory
})

/** The receivers of a match, those of disabled targets left out. */
export const of = Effect.fnUntraced(function* (directory: Directory, match: AlertMatch) {
  const { projectId } = match.project
  const targets = directory.targets.get(projectId) ?? []
  const recipients = targets.filter((target) => isMeant(match, target)).flatMap(recipientsOf)
  const members = (directory.members.get(projectId) ?? []).filter((member) => wants(match, member))
  if (members.length === 0) return recipients
  const known = targets.find(({ kind }) => kind === membersKind)
  const targetId = known?.id ?? (yield* (yield* TargetStore).membersOf(projectId, yield* DateTime.now))
  const quietHours = known?.quietHours ?? null
  const people = members.map(({ userId }): Recipient => ({ targetId, userId, recipient: null, quietHours }))
  return [...recipients, ...people]
})

// internal

/** The single receivers of a target: one for each address of mail, else one. */
const recipientsOf = (target: Target): ReadonlyArray<Recipient> => {
  const { id, kind, quietHours } = target
  const one = { targetId: id, userId: null, recipient: null, quietHours }
  return kind === mailKind ? Mailboxes.of(target).map((recipient) => ({ ...one, recipient })) : [one]
}

const isMeant = ({ rule }: AlertMatch, { enabled, id, kind }: Target): boolean => {
  if (!enabled || kind === membersKind || rule === null) return false
  const { targets } = rule.receivers
  return targets === "all" || targets.includes(id)
}

const wants = ({ by, group, rule, trigger }: AlertMatch, { mode, userId }: MailMember): boolean => {
  if (mode === "nothing" || userId === by) return false
  const isAssignee = group?.assigneeId === userId
  if (rule === null) return isAssignee
  if (!rule.receivers.members) return false
  if (mode === "everything" || isAssignee) return true
  return mode === "new_and_reopened" && (trigger.type === "created" || trigger.type === "reopened")
}
