/**
 * Ports of parts of Errata that a storage does not support. Nothing is found, background jobs have nothing to do, and
 * calls that would store something fail with a `StorageError` of reason `rejected`, whose cause is `PortAbsent`.
 */
import { Layer } from "effect"
import * as AbsentApps from "./AbsentApps.js"
import * as AbsentConnections from "./AbsentConnections.js"
import * as AbsentNotifications from "./AbsentNotifications.js"
import * as AbsentSourcemaps from "./AbsentSourcemaps.js"

export { PortAbsent } from "./Answers.js"

/** No apps: `AppStore`. */
export const apps = AbsentApps.layer

/** No applications connected by OAuth: `OAuthStore`. People and API keys still sign in. */
export const connections = AbsentConnections.layer

/**
 * No webhooks, targets, alert rules, mail and `errata.on`: `GroupEventStore`, `DeliveryStore`, `TargetStore`,
 * `MemberMailStore` and `AlertStore`.
 */
export const notifications = AbsentNotifications.layer

/** No uploads and source maps: `ArtifactStore`, `BlobStore`, `SourcemapStore` and `SourcemapReportStore`. */
export const sourcemaps = AbsentSourcemaps.layer

/** All of them. Merge the layer of a storage after it. */
export const layer = Layer.mergeAll(apps, connections, notifications, sourcemaps)
