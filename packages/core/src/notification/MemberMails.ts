import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { AuthorizedInstance, AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import * as Mailboxes from "./Mailboxes.js"
import { defaultMemberMail, type MemberMail } from "./MemberMail.js"
import { MemberMailStore } from "./MemberMailStore.js"
import { sendsMail } from "./NotificationTarget.js"
import { mailKind } from "./Target.js"
import { TargetStore } from "./TargetStore.js"
import * as UnsubscribeToken from "./UnsubscribeToken.js"

/** The actor is not a user, so there are no settings. */
export class NoPerson extends Schema.TaggedError<NoPerson>()("NoPerson", {}) {}

/** The link is not from this instance, or its mail no longer exists. */
export class UnsubscribeFailed extends Schema.TaggedError<UnsubscribeFailed>()("UnsubscribeFailed", {}) {}

/** Manages users' mail settings, unsubscribe links and paused addresses. */
export class MemberMails extends Context.Service<MemberMails>()("@errata/core/notification/MemberMails", {
  make: Effect.gen(function* () {
    const store = yield* MemberMailStore
    const targets = yield* TargetStore

    /** The actor's settings for a project. */
    const get = Effect.fn("MemberMails.get")(function* ({
      actor,
      project,
    }: AuthorizedProject<"project.read">) {
      const userId = userIdOf(actor)
      if (userId === null) return yield* new NoPerson()
      const found = yield* store.find(project.id, userId)
      return Option.getOrElse(found, () => defaultMemberMail)
    })

    /** Changes the actor's settings. Missing fields stay as they are. */
    const update = Effect.fn("MemberMails.update")(function* (
      { actor, project }: AuthorizedProject<"mail.change">,
      changes: { readonly [Key in keyof MemberMail]?: MemberMail[Key] | undefined },
    ) {
      const userId = userIdOf(actor)
      if (userId === null) return yield* new NoPerson()
      const found = Option.getOrElse(yield* store.find(project.id, userId), () => defaultMemberMail)
      const settings = { mode: changes.mode ?? found.mode, digest: changes.digest ?? found.digest }
      yield* store.put(project.id, userId, settings, yield* DateTime.now)
      return settings
    })

    /** The subscription of a link. Does not query the storage. */
    const subscriptionOf = Effect.fn("MemberMails.subscriptionOf")(function* (token: string) {
      const subscription = Option.getOrNull(yield* UnsubscribeToken.read(token))
      return subscription ?? (yield* new UnsubscribeFailed())
    })

    /**
     * Stops the mail of a link: a member's mail of a project, or mail to one address of a target. The link is the
     * authorization. Idempotent.
     */
    const unsubscribe = Effect.fn("MemberMails.unsubscribe")(function* (token: string) {
      const subscription = yield* subscriptionOf(token)
      const now = yield* DateTime.now
      if (subscription._tag === "Member") {
        const { projectId, userId } = subscription
        yield* store.put(projectId, userId, { mode: "nothing", digest: "never" }, now)
        return subscription
      }
      const { projectId, targetId } = subscription
      const target = Option.getOrNull(yield* targets.find(projectId, targetId))
      if (target?.kind !== mailKind) return yield* new UnsubscribeFailed()
      const gone = subscription.address.toLowerCase()
      const left = Mailboxes.of(target).filter((one) => one.toLowerCase() !== gone)
      yield* targets.update(
        projectId,
        targetId,
        {
          address: { ...target.address, to: Mailboxes.join(left) },
          ...(left.length === 0 ? { enabled: false } : {}),
        },
        now,
      )
      return subscription
    })

    /** Addresses that are paused after a bounce, in alphabetical order, after one. */
    const paused = Effect.fn("MemberMails.paused")(function* (
      _: AuthorizedInstance<"users.read">,
      after: string,
      limit: number,
    ) {
      return yield* store.paused(after, limit)
    })

    /** Resumes an address. Returns whether it was paused. */
    const resume = Effect.fn("MemberMails.resume")(function* (
      _: AuthorizedInstance<"users.administer">,
      address: string,
    ) {
      return yield* store.resume(address.toLowerCase())
    })

    return { sendsMail: yield* sendsMail, get, update, subscriptionOf, unsubscribe, paused, resume }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
