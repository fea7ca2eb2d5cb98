import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type { DigestSubscription, MailMember, MemberMail, PausedAddress } from "./MemberMail.js"

/** Keeps the settings of people for the mail of their projects, and the addresses that get none. */
export class MemberMailStore extends Context.Service<
  MemberMailStore,
  {
    /** A person's settings for a project; none if the person has changed nothing. */
    readonly find: (
      projectId: ProjectId,
      userId: UserId,
    ) => Effect.Effect<Option.Option<MemberMail>, StorageError>

    /** Keeps a person's settings. A person who gets digests from now on gets the first one for the time after `now`. */
    readonly put: (
      projectId: ProjectId,
      userId: UserId,
      settings: MemberMail,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /**
     * The active members of these live projects with their settings (`defaultMemberMail` without any), and active admins who have
     * settings for a project. A project without an active member has its admins instead. Ascending by project and person.
     */
    readonly members: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlyArray<MailMember>, StorageError>

    /** Digests of live projects to active people with access, ascending by project and person, after a pair, up to so many. */
    readonly digests: (
      after: { readonly projectId: number; readonly userId: number },
      limit: number,
    ) => Effect.Effect<ReadonlyArray<DigestSubscription>, StorageError>

    /** Keeps that a digest was sent up to a time. Answers whether `lastAt` was as given until now. */
    readonly advanceDigest: (
      digest: DigestSubscription,
      until: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** Pauses an address; one that is paused stays as it is. */
    readonly pause: (address: PausedAddress) => Effect.Effect<void, StorageError>

    /** Those of the addresses that are paused. */
    readonly pausedAmong: (
      addresses: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<PausedAddress>, StorageError>

    /** Paused addresses in alphabetical order, after one, up to so many. */
    readonly paused: (
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<PausedAddress>, StorageError>

    /** Lets an address get mail again; answers whether it was paused. */
    readonly resume: (address: string) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/notification/MemberMailStore") {}
