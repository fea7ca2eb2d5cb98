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
import { Clock, Context, Effect } from "effect"
import { Family } from "./Family.js"
import { Ids } from "./Ids.js"
import * as Lock from "./Lock.js"
import { makeNotificationTables, type NotificationTables } from "./NotificationTables.js"
import type { ReportRow } from "./ReportRow.js"
import { Rows } from "./Rows.js"
import { type Reader, Transaction } from "./Transaction.js"

/** The tables. Composite keys are made by `keyOf`. */
export interface Tables extends NotificationTables {
  readonly projects: Rows<number, Project>
  readonly projectIds: Ids
  readonly projectByName: Rows<string, number>
  /** By slug, ascending. */
  readonly projectsBySlug: Rows<string, ReadonlyArray<number>>
  readonly projectByToken: Rows<string, number>
  readonly projectByKey: Rows<string, number>
  /** Time of deletion in epoch milliseconds, until all their data is removed. */
  readonly deletedProjects: Rows<number, number>
  /** By project: progress of applying its mute to groups. Finished ones are removed. */
  readonly unfinishedMutes: Rows<number, { readonly after: number; readonly last: number }>
  /** By project, day, reason and category. */
  readonly discarded: Rows<string, number>

  readonly users: Rows<number, User>
  /** Of active users. */
  readonly userIds: Ids
  /** The active user with an address (lower case), else the last user who had it. */
  readonly userByEmailAddress: Rows<string, number>
  readonly userByApiKeyHash: Rows<string, number>
  readonly apiKeyHashes: Rows<number, string>

  /** By user. */
  readonly passwords: Rows<number, string>
  readonly signInLinks: Rows<number, SignInLinkRow>
  readonly userBySignInLink: Rows<string, number>
  readonly sessions: Rows<number, SessionRow>
  /** By user. */
  readonly sessionIds: Family<Ids>
  readonly sessionByToken: Rows<string, number>
  /** By hash, oldest first. */
  readonly bearers: Rows<string, BearerRow>
  /** By key. */
  readonly throttles: Rows<string, ThrottleRow>
  readonly oauthClients: Rows<string, OAuthClientRow>
  /** By hash. */
  readonly oauthCodes: Rows<string, OAuthCodeRow>
  readonly connections: Rows<number, Connection>
  /** By hash, oldest first. */
  readonly oauthTokens: Rows<string, OAuthTokenRow>

  readonly groups: Rows<number, Group>
  /** By project: unmerged groups. */
  readonly groupIds: Family<Ids>
  /** By project, algorithm and key. Merges do not change it. */
  readonly groupByKey: Rows<string, number>
  /** By project, algorithm and key: the last discarded group. */
  readonly discardedKeys: Rows<string, DiscardedGroup>
  /** By group; then by tag key and value. */
  readonly groupTags: Family<Rows<string, number>>
  /** By group: new reports per minute. Old minutes are combined. */
  readonly activity: Family<Rows<number, number>>
  /** By group: the users of its own reports. */
  readonly groupUsers: Family<Rows<number, true>>
  /** By project: new reports and new groups per minute. */
  readonly projectActivity: Family<Rows<number, ProjectMinute>>
  /** By project: its tag keys. */
  readonly tagKeys: Family<Rows<string, true>>
  /** Unmerged groups with a mute that has a deadline. */
  readonly deadlineIds: Ids
  readonly merges: Rows<number, GroupMerge>
  /** By source. */
  readonly mergeBySource: Rows<number, number>
  /** By root: the groups merged into it. */
  readonly memberIds: Family<Ids>
  /** By group: the figures of its own reports, if it is in a tree of merges. */
  readonly parts: Rows<number, GroupFigures>

  /** Oldest first. */
  readonly groupEvents: Rows<number, GroupEventRow>
  /** By consumer, event and project. */
  readonly subscriptions: Rows<string, GroupEventSubscriptionRow>

  readonly reports: Rows<number, ReportRow>
  /** By group. */
  readonly reportIds: Family<Ids>
  /** By project and event id. */
  readonly reportByEvent: Rows<string, number>
  /** By project and version. */
  readonly releases: Rows<string, ReleaseRow>
  /** By project. */
  readonly releaseIds: Family<Ids>
  /** The keys of releases, by id. */
  readonly releaseKeys: Rows<number, string>
  /** By release. */
  readonly releaseCommits: Rows<number, ReadonlyArray<ReleaseCommit>>
  /** By release, newest first. */
  readonly deploys: Rows<number, ReadonlyArray<Deploy>>
  /** By group: the release of its first report, if that has one. */
  readonly firstReleases: Rows<number, string>
  /** By report. */
  readonly sourcemapQueue: Rows<number, SourcemapQueueRow>
  /** By group, and the other group whose key its reports were found to have. */
  readonly groupTwins: Rows<string, true>
  /** By project, algorithm and key: keys of `groupByKey` that were added to an existing group. */
  readonly groupAliases: Rows<string, number>
  /** By report. */
  readonly attachments: Rows<number, ReadonlyArray<AttachmentRow>>

  readonly notes: Rows<number, NewNote>
  /** By group. */
  readonly noteIds: Family<Ids>

  readonly origins: Rows<number, SourcemapOrigin>
  /** By project. */
  readonly originIds: Family<Ids>
  /** By project and origin. */
  readonly originByText: Rows<string, number>

  /** By project and URL of the script. */
  readonly hostedMaps: Rows<string, HostedMapRow>
  readonly artifactBundles: Rows<number, ArtifactBundleRow>
  /** By project. */
  readonly artifactBundleIds: Family<Ids>
  /** By owner and SHA-1. */
  readonly artifactChunks: Rows<string, ArtifactChunkRow>
  /** By owner and checksum. */
  readonly artifactLeases: Rows<string, { readonly holder: string; readonly endsAt: number }>
  /** By SHA-256: metadata of contents, in whichever blob store they are. */
  readonly artifactBlobs: Rows<string, ArtifactBlobRow>
  /** By SHA-256. */
  readonly blobContents: Rows<string, Uint8Array>

  /** Their projects are in `appProjectIds`. */
  readonly apps: Rows<number, Omit<App, "projectIds">>
  readonly appIds: Ids
  readonly appByName: Rows<string, number>
  readonly appByProject: Rows<number, number>
  /** By app. */
  readonly appProjectIds: Family<Ids>

  readonly policies: Rows<string, StoredPolicy>
  /** By minute in epoch milliseconds and kind. */
  readonly ingestStatistics: Rows<string, IngestStatisticRow>

  /** By name. */
  readonly jobs: Rows<string, JobRow>

  readonly retentionRuns: Rows<number, RetentionRun>
  readonly retentionRunIds: Ids
  /** By kind: the last requested night, in epoch milliseconds. */
  readonly retentionNights: Rows<string, number>

  /** Payloads by position. */
  readonly segments: Rows<number, ReadonlyArray<Payload>>
  /** Oldest first. */
  readonly batches: Rows<number, BatchRow>
  readonly deadLetters: Rows<number, DeadLetter>
  readonly deadLetterIds: Ids
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
        Effect.sync(() => (exit._tag === "Success" ? transaction.commit() : transaction.rollback())),
      )
    })

  return {
    ...makeTables(),
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

// internal

const makeTables = (): Tables => ({
  projects: new Rows(),
  projectIds: new Ids(),
  projectByName: new Rows(),
  projectsBySlug: new Rows(),
  projectByToken: new Rows(),
  projectByKey: new Rows(),
  deletedProjects: new Rows(),
  unfinishedMutes: new Rows(),
  discarded: new Rows(),
  users: new Rows(),
  userIds: new Ids(),
  userByEmailAddress: new Rows(),
  userByApiKeyHash: new Rows(),
  apiKeyHashes: new Rows(),
  passwords: new Rows(),
  signInLinks: new Rows(),
  userBySignInLink: new Rows(),
  sessions: new Rows(),
  sessionIds: new Family(() => new Ids()),
  sessionByToken: new Rows(),
  bearers: new Rows(),
  throttles: new Rows(),
  oauthClients: new Rows(),
  oauthCodes: new Rows(),
  connections: new Rows(),
  oauthTokens: new Rows(),
  groups: new Rows(),
  groupIds: new Family(() => new Ids()),
  groupByKey: new Rows(),
  discardedKeys: new Rows(),
  groupTags: new Family(() => new Rows<string, number>()),
  activity: new Family(() => new Rows<number, number>()),
  groupUsers: new Family(() => new Rows<number, true>()),
  projectActivity: new Family(() => new Rows<number, ProjectMinute>()),
  tagKeys: new Family(() => new Rows<string, true>()),
  deadlineIds: new Ids(),
  merges: new Rows(),
  mergeBySource: new Rows(),
  memberIds: new Family(() => new Ids()),
  parts: new Rows(),
  groupEvents: new Rows(),
  subscriptions: new Rows(),
  reports: new Rows(),
  reportIds: new Family(() => new Ids()),
  reportByEvent: new Rows(),
  releases: new Rows(),
  sourcemapQueue: new Rows(),
  groupTwins: new Rows(),
  groupAliases: new Rows(),
  releaseIds: new Family(() => new Ids()),
  releaseKeys: new Rows(),
  releaseCommits: new Rows(),
  deploys: new Rows(),
  firstReleases: new Rows(),
  attachments: new Rows(),
  notes: new Rows(),
  noteIds: new Family(() => new Ids()),
  origins: new Rows(),
  originIds: new Family(() => new Ids()),
  originByText: new Rows(),
  hostedMaps: new Rows(),
  artifactBundles: new Rows(),
  artifactBundleIds: new Family(() => new Ids()),
  artifactChunks: new Rows(),
  artifactLeases: new Rows(),
  artifactBlobs: new Rows(),
  blobContents: new Rows(),
  apps: new Rows(),
  appIds: new Ids(),
  appByName: new Rows(),
  appByProject: new Rows(),
  appProjectIds: new Family(() => new Ids()),
  ...makeNotificationTables(),
  policies: new Rows(),
  ingestStatistics: new Rows(),
  jobs: new Rows(),
  retentionRuns: new Rows(),
  retentionRunIds: new Ids(),
  retentionNights: new Rows(),
  segments: new Rows(),
  batches: new Rows(),
  deadLetters: new Rows(),
  deadLetterIds: new Ids(),
})
