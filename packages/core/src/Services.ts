/** The core's services wired together, on whatever storage and decoder are provided. */
import { Layer } from "effect"
import * as AccessPolicy from "./access/AccessPolicy.js"
import type { GroupStore } from "./group/GroupStore.js"
import { Groups } from "./group/Groups.js"
import * as MuteSweeper from "./group/MuteSweeper.js"
import { Intake } from "./ingest/Intake.js"
import type { PayloadDecoder } from "./ingest/PayloadDecoder.js"
import type { PendingPayloads } from "./ingest/PendingPayloads.js"
import { Recorder } from "./ingest/Recorder.js"
import { RecorderSignal } from "./ingest/RecorderSignal.js"
import * as RecorderWorker from "./ingest/RecorderWorker.js"
import { SetAside } from "./ingest/SetAside.js"
import type { NoteStore } from "./note/NoteStore.js"
import type { ProjectStore } from "./project/ProjectStore.js"
import { Projects } from "./project/Projects.js"
import type { ReportStore } from "./report/ReportStore.js"
import { Reports } from "./report/Reports.js"
import type { Storage } from "./storage/Storage.js"
import type { UserStore } from "./user/UserStore.js"
import { Users } from "./user/Users.js"

/** Every port of a storage. */
export type Stores =
  | Storage
  | ProjectStore
  | UserStore
  | GroupStore
  | ReportStore
  | NoteStore
  | PendingPayloads

/** What transports call. */
export type Services =
  | AccessPolicy.AccessPolicy
  | Projects
  | Users
  | Groups
  | Reports
  | SetAside
  | Intake
  | RecorderSignal

/** The services with the specification's access rules. */
export const layer: Layer.Layer<Services, never, Stores> = Layer.mergeAll(
  Projects.Default,
  Users.Default,
  Reports.Default,
  Intake.Default,
  SetAside.Default,
).pipe(
  Layer.provideMerge(Groups.Default),
  Layer.provideMerge(Layer.merge(AccessPolicy.layer, RecorderSignal.Default)),
)

/** The background work of one node. */
export const layerWorkers: Layer.Layer<never, never, Stores | PayloadDecoder | RecorderSignal> = Layer.merge(
  RecorderWorker.layer.pipe(Layer.provide(Recorder.Default)),
  MuteSweeper.layer,
)
