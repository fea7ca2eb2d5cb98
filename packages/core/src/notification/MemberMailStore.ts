import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type { DigestSubscription, MailMember, MemberMail, PausedAddress } from "./MemberMail.js"

/** Stores users' mail settings per project, and paused addresses. */
export class MemberMailStore extends Context.Service<
  MemberMailStore,
  {
    /** A user's settings for a project. None if they are the default. */
    readonly find: (
      projectId: ProjectId,
      userId: UserId,
    ) => Effect.Effect<Option.Option<MemberMail>, StorageError>

    /** Stores a user's settings. A new subscription to digests starts at `now`. */
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

    /** Digests of live projects to active users with access, by project and user, after a pair, at most `limit`. */
    readonly digests: (
      after: { readonly projectId: number; readonly userId: number },
      limit: number,
    ) => Effect.Effect<ReadonlyArray<DigestSubscription>, StorageError>

    /** Records that a digest was sent up to a time. Returns false if `lastAt` had changed. */
    readonly advanceDigest: (
      digest: DigestSubscription,
      until: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** Pauses an address. Idempotent. */
    readonly pause: (address: PausedAddress) => Effect.Effect<void, StorageError>

    /** Returns the addresses that are paused. */
    readonly pausedAmong: (
      addresses: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<PausedAddress>, StorageError>

    /** Paused addresses in alphabetical order, after one, at most `limit`. */
    readonly paused: (
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<PausedAddress>, StorageError>

    /** Resumes an address. Returns whether it was paused. */
    readonly resume: (address: string) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/notification/MemberMailStore") {}
