/** The tables of the in-memory storage, and access to them. */
import type {
  App,
  ArtifactBundle,
  ArtifactBundleLink,
  DeadLetter,
  Deploy,
  Grant,
  Group,
  GroupMerge,
  OutboxEventName,
  Project,
  ProjectId,
  Release,
  ReleaseCommit,
  RetentionRun,
  Session,
  SourcemapOrigin,
  User,
  UserId,
} from "@errata/core"
import type { Connection, ConnectionId } from "@errata/core/internal"
import type {
  Approval,
  AttachmentSummary,
  DiscardedGroup,
  GroupFigures,
  HostedOutcome,
  IngestStatistic,
  LeasedGroupEvent,
  NewArtifactFile,
  NewAttachment,
  NewNote,
  OAuthClient,
  Payload,
  ReportPlace,
  SessionExpiry,
  StoredPolicy,
} from "@errata/core/ports"
import { Clock, Context, Effect, Exit } from "effect"
import { Family } from "./Family.js"
import { Ids } from "./Ids.js"
import * as Lock from "./Lock.js"
import { NotificationTables } from "./NotificationTables.js"
import type { ReportRow } from "./ReportRow.js"
import { Rows } from "./Rows.js"
import { type Reader, Transaction } from "./Transaction.js"

/** The tables. Composite keys are made by `keyOf`. */
export class Tables extends NotificationTables {
  readonly projects = new Rows<number, Project>()
  readonly projectIds = new Ids()
  readonly projectByName = new Rows<string, number>()
  /** By slug, ascending. */
  readonly projectsBySlug = new Rows<string, ReadonlyArray<number>>()
  readonly projectByToken = new Rows<string, number>()
  readonly projectByKey = new Rows<string, number>()
  /** Time of deletion in epoch milliseconds, until all their data is removed. */
  readonly deletedProjects = new Rows<number, number>()
  /** By project: progress of applying its mute to groups. Finished ones are removed. */
  readonly unfinishedMutes = new Rows<number, { readonly after: number; readonly last: number }>()
  /** By project, day, reason and category. */
  readonly discarded = new Rows<string, number>()

  readonly users = new Rows<number, User>()
  /** Of active users. */
  readonly userIds = new Ids()
  /** The active user with an address (lower case), else the last user who had it. */
  readonly userByEmailAddress = new Rows<string, number>()
  readonly userByApiKeyHash = new Rows<string, number>()
  readonly apiKeyHashes = new Rows<number, string>()

  /** By user. */
  readonly passwords = new Rows<number, string>()
  readonly signInLinks = new Rows<number, SignInLinkRow>()
  readonly userBySignInLink = new Rows<string, number>()
  readonly sessions = new Rows<number, SessionRow>()
  /** By user. */
  readonly sessionIds = new Family(() => new Ids())
  readonly sessionByToken = new Rows<string, number>()
  /** By hash, oldest first. */
  readonly bearers = new Rows<string, BearerRow>()
  /** By key. */
  readonly throttles = new Rows<string, ThrottleRow>()
  readonly oauthClients = new Rows<string, OAuthClientRow>()
  /** By hash. */
  readonly oauthCodes = new Rows<string, OAuthCodeRow>()
  readonly connections = new Rows<number, Connection>()
  /** By hash, oldest first. */
  readonly oauthTokens = new Rows<string, OAuthTokenRow>()

  readonly groups = new Rows<number, Group>()
  /** By project: unmerged groups. */
  readonly groupIds = new Family(() => new Ids())
  /** By project, algorithm and key. Merges do not change it. */
  readonly groupByKey = new Rows<string, number>()
  /** By project, algorithm and key: the last discarded group. */
  readonly discardedKeys = new Rows<string, DiscardedGroup>()
  /** By group; then by tag key and value. */
  readonly groupTags = new Family(() => new Rows<string, number>())
  /** By group: new reports per minute. Old minutes are combined. */
  readonly activity = new Family(() => new Rows<number, number>())
  /** By group: the users of its own reports. */
  readonly groupUsers = new Family(() => new Rows<number, true>())
  /** By project: new reports and new groups per minute. */
  readonly projectActivity = new Family(() => new Rows<number, ProjectMinute>())
  /** By project: its tag keys. */
  readonly tagKeys = new Family(() => new Rows<string, true>())
  /** Unmerged groups with a mute that has a deadline. */
  readonly deadlineIds = new Ids()
  readonly merges = new Rows<number, GroupMerge>()
  /** By source. */
  readonly mergeBySource = new Rows<number, number>()
  /** By root: the groups merged into it. */
  readonly memberIds = new Family(() => new Ids())
  /** By group: the figures of its own reports, if it is in a tree of merges. */
  readonly parts = new Rows<number, GroupFigures>()

  /** Oldest first. */
  readonly groupEvents = new Rows<number, GroupEventRow>()
  /** By consumer, event and project. */
  readonly subscriptions = new Rows<string, GroupEventSubscriptionRow>()

  readonly reports = new Rows<number, ReportRow>()
  /** By group. */
  readonly reportIds = new Family(() => new Ids())
  /** By project and event id. */
  readonly reportByEvent = new Rows<string, number>()
  /** By project and version. */
  readonly releases = new Rows<string, ReleaseRow>()
  /** By project. */
  readonly releaseIds = new Family(() => new Ids())
  /** The keys of releases, by id. */
  readonly releaseKeys = new Rows<number, string>()
  /** By release. */
  readonly releaseCommits = new Rows<number, ReadonlyArray<ReleaseCommit>>()
  /** By release, newest first. */
  readonly deploys = new Rows<number, ReadonlyArray<Deploy>>()
  /** By group: the release of its first report, if that has one. */
  readonly firstReleases = new Rows<number, string>()
  /** By report. */
  readonly sourcemapQueue = new Rows<number, SourcemapQueueRow>()
  /** By group, and the other group whose key its reports were found to have. */
  readonly groupTwins = new Rows<string, true>()
  /** By project, algorithm and key: keys of `groupByKey` that were added to an existing group. */
  readonly groupAliases = new Rows<string, number>()
  /** By report. */
  readonly attachments = new Rows<number, ReadonlyArray<AttachmentRow>>()

  readonly notes = new Rows<number, NewNote>()
  /** By group. */
  readonly noteIds = new Family(() => new Ids())

  readonly origins = new Rows<number, SourcemapOrigin>()
  /** By project. */
  readonly originIds = new Family(() => new Ids())
  /** By project and origin. */
  readonly originByText = new Rows<string, number>()

  /** By project and URL of the script. */
  readonly hostedMaps = new Rows<string, HostedMapRow>()
  readonly artifactBundles = new Rows<number, ArtifactBundleRow>()
  /** By project. */
  readonly artifactBundleIds = new Family(() => new Ids())
  /** By owner and SHA-1. */
  readonly artifactChunks = new Rows<string, ArtifactChunkRow>()
  /** By owner and checksum. */
  readonly artifactLeases = new Rows<string, { readonly holder: string; readonly endsAt: number }>()
  /** By SHA-256: metadata of contents, in whichever blob store they are. */
  readonly artifactBlobs = new Rows<string, ArtifactBlobRow>()
  /** By SHA-256. */
  readonly blobContents = new Rows<string, Uint8Array>()

  /** Their projects are in `appProjectIds`. */
  readonly apps = new Rows<number, Omit<App, "projectIds">>()
  readonly appIds = new Ids()
  readonly appByName = new Rows<string, number>()
  readonly appByProject = new Rows<number, number>()
  /** By app. */
  readonly appProjectIds = new Family(() => new Ids())

  readonly policies = new Rows<string, StoredPolicy>()
  /** By minute in epoch milliseconds and kind. */
  readonly ingestStatistics = new Rows<string, IngestStatisticRow>()

  /** By name. */
  readonly jobs = new Rows<string, JobRow>()

  readonly retentionRuns = new Rows<number, RetentionRun>()
  readonly retentionRunIds = new Ids()
  /** By kind: the last requested night, in epoch milliseconds. */
  readonly retentionNights = new Rows<string, number>()

  /** Payloads by position. */
  readonly segments = new Rows<number, ReadonlyArray<Payload>>()
  /** Oldest first. */
  readonly batches = new Rows<number, BatchRow>()
  readonly deadLetters = new Rows<number, DeadLetter>()
  readonly deadLetterIds = new Ids()
}

export interface ProjectMinute {
  readonly reports: number
  readonly newGroups: number
}

export interface SourcemapQueueRow extends ReportPlace {
  readonly turn: number
  readonly leases: number
  /** Epoch milliseconds; 0 if not leased. */
  readonly leasedUntil: number
  readonly postponed: number
  /** Epoch milliseconds; 0 if due. */
  readonly dueAt: number
}

export type AttachmentRow = AttachmentSummary & Pick<NewAttachment, "place" | "index">

export interface HostedMapRow {
  readonly claim: number
  /** Epoch milliseconds: end of the claim until it is settled, then of the outcome. */
  readonly endsAt: number
  readonly origins: ReadonlyArray<string>
  /** Null while the claim is held. */
  readonly outcome: HostedOutcome | null
}

export interface ReleaseRow {
  readonly release: Release
  /** True if a build tool created it and no event has named it. */
  readonly isAnnounced: boolean
}

export interface ArtifactBundleRow extends Omit<ArtifactBundle, "filesCount" | "links"> {
  readonly files: ReadonlyArray<NewArtifactFile>
  /** `linkedAt`: time of the last upload in epoch milliseconds. */
  readonly links: ReadonlyArray<ArtifactBundleLink & { readonly linkedAt: number }>
}

/** Times are epoch milliseconds. */
export interface ArtifactChunkRow {
  readonly owner: UserId | null
  readonly sha1: string
  readonly content: Uint8Array
  readonly putAt: number
  /** Null until a bundle was assembled from it. */
  readonly settledAt: number | null
}

/** Times are epoch milliseconds. */
export interface ArtifactBlobRow {
  readonly bytes: number
  readonly announcedAt: number
  /** Time when a cleanup claimed it for removal, or null. */
  readonly takenAt: number | null
}

export interface IngestStatisticRow {
  readonly minute: number
  readonly kind: IngestStatistic
  readonly count: number
}

/** Times are epoch milliseconds. */
export interface SignInLinkRow {
  readonly tokenHash: string
  readonly endsAt: number
}

export interface SessionRow extends SessionExpiry {
  readonly session: Session
  readonly tokenHash: string
}

export interface BearerRow {
  readonly sessionId: number
  readonly endsAt: number
}

export interface OAuthClientRow {
  readonly client: OAuthClient
  /** Null until the first approval. */
  readonly approvedAt: number | null
}

export interface OAuthCodeRow {
  readonly approval: Approval
  readonly endsAt: number
  readonly isUsed: boolean
  readonly connectionId: ConnectionId | null
}

export interface OAuthTokenRow {
  readonly connectionId: ConnectionId
  readonly kind: "access" | "refresh"
  /** For a refresh token: the token that it replaced. */
  readonly predecessorHash: string | null
  readonly grants: ReadonlyArray<Grant>
  readonly endsAt: number
  readonly usedAt: number | null
}

export interface ThrottleRow {
  readonly taken: number
  readonly endsAt: number
}

export interface GroupEventRow extends LeasedGroupEvent {
  readonly consumer: string
  /** Epoch milliseconds; 0 if not leased. */
  readonly leasedUntil: number
}

export interface GroupEventSubscriptionRow {
  readonly consumer: string
  readonly event: OutboxEventName
  /** Null for all projects. */
  readonly projectId: number | null
  /** Epoch milliseconds. */
  readonly endsAt: number
}

/** Times are epoch milliseconds. */
export interface JobRow {
  readonly name: string
  readonly node: string
  /** 0 if not running. */
  readonly leasedUntil: number
  readonly dueAt: number
  readonly heartbeatAt: number
  readonly startedAt: number
  readonly succeededAt: number | null
  readonly failedAt: number | null
  readonly failure: string | null
}

export interface BatchRow {
  readonly id: number
  readonly projectId: ProjectId
  readonly segmentId: number
  /** Payloads that are not recorded yet, by position in the segment. */
  readonly payloads: ReadonlyMap<number, Payload>
  readonly attempts: number
  /** Epoch milliseconds; 0 if not claimed. */
  readonly claimedUntil: number
  /** Earliest time of recording, in epoch milliseconds. */
  readonly readyAt: number
  /** True if its only payload may crash recorders. */
  readonly isSuspect: boolean
}

export interface State extends Tables {
  /** Returns the next id. As in a database, ids of rolled-back transactions are not reused. */
  readonly nextId: (sequence: Sequence) => number
  /** Reads at a time in epoch milliseconds. */
  readonly read: <A>(f: (reader: Reader, now: number) => A) => Effect.Effect<A>
  /** Writes at a time in epoch milliseconds, in the transaction of the calling fiber, or in a new one. */
  readonly write: <A>(f: (transaction: Transaction, now: number) => A) => Effect.Effect<A>
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export type Sequence =
  | "project"
  | "user"
  | "session"
  | "connection"
  | "group"
  | "merge"
  | "groupEvent"
  | "report"
  | "release"
  | "deploy"
  | "attachment"
  | "note"
  | "origin"
  | "hostedMap"
  | "artifactBundle"
  | "app"
  | "target"
  | "delivery"
  | "alertRule"
  | "retentionRun"
  | "segment"
  | "batch"
  | "deadLetters"

let states = 0

export const make = (): State => {
  const lock = Lock.make()
  // One reference per storage: a process may have several.
  const current = Context.Reference<Transaction | null>(`@errata/storage-memory/Transaction/${states++}`, {
    defaultValue: () => null,
  })
  const sequences = new Map<Sequence, number>()

  const withTransaction = <A, E, R>(
    f: (transaction: Transaction | null, now: number) => Effect.Effect<A, E, R>,
  ) =>
    Effect.withFiber<A, E, R>((fiber) => {
      const transaction = fiber.getRef(current)
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      return f(transaction?.ended === false ? transaction : null, now)
    })

  const begin = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const transaction = new Transaction()
      return Effect.onExit(Effect.provideService(effect, current, transaction), (exit) =>
        Effect.sync(() => (Exit.isSuccess(exit) ? transaction.commit() : transaction.rollback())),
      )
    })

  return {
    ...new Tables(),
    nextId: (sequence) => {
      const id = (sequences.get(sequence) ?? 0) + 1
      sequences.set(sequence, id)
      return id
    },
    read: (f) => withTransaction((transaction, now) => Effect.succeed(f(transaction, now))),
    write: (f) =>
      withTransaction((transaction, now) =>
        transaction !== null
          ? Effect.succeed(f(transaction, now))
          : lock.hold(begin(withTransaction((own, now) => Effect.succeed(f(own!, now))))),
      ),
    transaction: (effect) =>
      withTransaction((transaction) => (transaction !== null ? effect : lock.hold(begin(effect)))),
  }
}

/** Joins columns to one key. Columns must not contain a NUL character. */
export const keyOf = (...columns: ReadonlyArray<string | number>): string => columns.join("\0")

/** Splits a key made by `keyOf`. */
export const columnsOf = (key: string): ReadonlyArray<string> => key.split("\0")
