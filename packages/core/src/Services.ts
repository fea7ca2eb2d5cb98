/** The core's services wired together, on whatever storage and decoder are provided. */
import { Layer } from "effect"
import * as AccessPolicy from "./access/AccessPolicy.js"
import { Members } from "./administration/Members.js"
import { Policies } from "./administration/Policies.js"
import * as ProjectMuter from "./administration/ProjectMuter.js"
import { Projects } from "./administration/Projects.js"
import { Users } from "./administration/Users.js"
import type { AppStore } from "./app/AppStore.js"
import { Apps } from "./app/Apps.js"
import * as BackgroundWork from "./background/BackgroundWork.js"
import type { JobStore } from "./background/JobStore.js"
import * as StorageUpkeeper from "./background/StorageUpkeeper.js"
import type { GroupEventStore } from "./group/GroupEventStore.js"
import type { GroupStore } from "./group/GroupStore.js"
import { Groups } from "./group/Groups.js"
import * as MuteSweeper from "./group/MuteSweeper.js"
import { Notes } from "./group/Notes.js"
import type { CredentialStore } from "./identity/CredentialStore.js"
import type { SessionStore } from "./identity/SessionStore.js"
import { Sessions } from "./identity/Sessions.js"
import { SignIn } from "./identity/SignIn.js"
import * as SignInSweeper from "./identity/SignInSweeper.js"
import type { ThrottleStore } from "./identity/ThrottleStore.js"
import type { IngestStatistics } from "./ingest/IngestStatistics.js"
import { Intake } from "./ingest/Intake.js"
import type { PendingPayloads } from "./ingest/PendingPayloads.js"
import { Recorder } from "./ingest/Recorder.js"
import { RecorderSignal } from "./ingest/RecorderSignal.js"
import * as RecorderWorker from "./ingest/RecorderWorker.js"
import { SetAside } from "./ingest/SetAside.js"
import * as SetAsideSweeper from "./ingest/SetAsideSweeper.js"
import type { NoteStore } from "./note/NoteStore.js"
import { OAuth } from "./oauth/OAuth.js"
import type { OAuthStore } from "./oauth/OAuthStore.js"
import * as OAuthSweeper from "./oauth/OAuthSweeper.js"
import type { PayloadDecoder } from "./payload/PayloadDecoder.js"
import type { PolicyStore } from "./policy/PolicyStore.js"
import * as ProjectPurger from "./project/ProjectPurger.js"
import type { ProjectStore } from "./project/ProjectStore.js"
import type { ReportStore } from "./report/ReportStore.js"
import { Reports } from "./report/Reports.js"
import type { SourcemapOriginStore } from "./sourcemap/SourcemapOriginStore.js"
import { SourcemapOrigins } from "./sourcemap/SourcemapOrigins.js"
import type { Storage } from "./storage/Storage.js"
import * as StorageOutage from "./storage/StorageOutage.js"
import type { StorageUpkeep } from "./storage/StorageUpkeep.js"
import type { UserStore } from "./user/UserStore.js"
import { Deliveries } from "./webhook/Deliveries.js"
import type { DeliveryStore } from "./webhook/DeliveryStore.js"
import type { WebhookStore } from "./webhook/WebhookStore.js"
import { Webhooks } from "./webhook/Webhooks.js"

/** Every port of a storage. */
export type Stores =
  | Storage
  | StorageUpkeep
  | ProjectStore
  | UserStore
  | CredentialStore
  | SessionStore
  | ThrottleStore
  | OAuthStore
  | GroupStore
  | GroupEventStore
  | ReportStore
  | NoteStore
  | SourcemapOriginStore
  | PendingPayloads
  | AppStore
  | WebhookStore
  | DeliveryStore
  | PolicyStore
  | IngestStatistics
  | JobStore

/** What transports call. */
export type Services =
  | AccessPolicy.AccessPolicy
  | Projects
  | Users
  | SignIn
  | Sessions
  | OAuth
  | Members
  | SourcemapOrigins
  | Groups
  | Notes
  | Reports
  | Apps
  | Webhooks
  | Deliveries
  | Policies
  | SetAside
  | Intake
  | RecorderSignal

/** The services with access rules of a team's own, which may be the default ones with some replaced. */
export const layerWith = (
  rules: AccessPolicy.AccessRules,
): Layer.Layer<Services, never, Stores | PayloadDecoder> =>
  Layer.mergeAll(
    Projects.Default,
    Users.Default,
    SignIn.Default,
    Sessions.Default,
    OAuth.Default,
    Members.Default,
    SourcemapOrigins.Default,
    Reports.Default,
    Notes.Default,
    Intake.Default,
    SetAside.Default,
    Apps.Default,
    Policies.Default,
    Deliveries.Default,
  ).pipe(
    Layer.provideMerge(Layer.merge(Groups.Default, Webhooks.Default)),
    Layer.provideMerge(
      Layer.mergeAll(AccessPolicy.layerWith(rules), RecorderSignal.Default, StorageOutage.layer),
    ),
  )

/** The services with the specification's access rules. */
export const layer = layerWith(AccessPolicy.defaultRules)

/** Records what was accepted: work for a processor, which a server may give a thread of its own. */
export const layerRecorder: Layer.Layer<never, never, Stores | PayloadDecoder | RecorderSignal> =
  RecorderWorker.layer.pipe(Layer.provide(Recorder.Default))

/** Everything else that is done without being asked for: each piece of it on one node at a time. */
export const layerBackground: Layer.Layer<never, never, Stores> = BackgroundWork.layer<Stores>([
  MuteSweeper.job,
  ProjectMuter.job,
  ProjectPurger.job,
  SetAsideSweeper.job,
  SignInSweeper.job,
  OAuthSweeper.job,
  StorageUpkeeper.job,
])

/** What a node does in the background. */
export const layerWorkers = Layer.merge(layerRecorder, layerBackground)
