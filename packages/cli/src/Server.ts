/** The standalone server: one composition of core, a storage and HTTP. */

import { signInLinkUrl } from "@errata/api"
import {
  ClientDocumentReader,
  ErrataConfig,
  type FirstStart,
  firstStart,
  type InstancePolicies,
  type InvitedUser,
  Keyring,
  NodeName,
  PendingPayloads,
  type Project,
  RecorderWorker,
  Services,
} from "@errata/core"
import { ErrataServer, NodeOutboundClient } from "@errata/http"
import { mcp } from "@errata/mcp"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, ZipBundleReader } from "@errata/sourcemap"
import { RecentBlocks } from "@errata/storage-postgres"
import { Console, Context, Effect, Layer, Option, Redacted } from "effect"
import * as Blobs from "./Blobs.js"
import * as EncryptionKeys from "./EncryptionKeys.js"
import { CommandFailed, sentences } from "./ErrorOutput.js"
import { nodeName } from "./NodeName.js"
import * as ProcessMetrics from "./ProcessMetrics.js"
import { RecorderScript } from "./RecorderScript.js"
import * as RecorderThread from "./RecorderThread.js"
import * as ServedAddress from "./ServedAddress.js"
import type { ServerChoice } from "./ServerChoice.js"
import * as StopLimit from "./StopLimit.js"
import * as Storage from "./Storage.js"
import { describe } from "./StorageOptions.js"
import * as Tracing from "./Tracing.js"
import { version } from "./Version.js"

/** Serves until the process is told to end. */
export const run = (choice: ServerChoice) =>
  Effect.scoped(
    Effect.gen(function* () {
      const nodeRoles = choice.roles
      const {
        admin,
        baseUrl: configuredUrl,
        corsOrigins,
        dsnPrefixes,
        drainTime,
        metrics,
        trustedProxies,
      } = choice
      const handover = new RecorderThread.Handover()
      const stopsSoon = yield* StopLimit.make(drainTime)
      yield* Effect.logInfo(`Errata ${version}, storage: ${describe(choice.storage)}`)

      // First of all, so that a port that is taken leaves nothing behind. What arrives before the server is ready waits.
      const bound = nodeRoles.includes("web")
        ? yield* ErrataServer.listen({
            host: choice.host,
            port: choice.port,
            baseUrl: configuredUrl,
            dsnPrefixes,
            corsOrigins,
            drainTime,
            metrics: metrics === null ? undefined : { token: metrics.token, others: metricsWith(handover) },
            mcp,
            trustedProxies,
          })
        : null
      if (bound !== null) yield* Effect.logInfo(`Bound to ${bound.host} port ${bound.port}`)

      // Built one after the other, so that they end in the opposite order: no more requests, then no more recording,
      // then the storage.
      const storage = yield* Storage.open(choice.storage)
      const stores = Blobs.withBlobs(storage.layer, choice.blobs).pipe(
        Layer.mapError((error) =>
          error._tag === "StorageError"
            ? new Storage.StorageUnusable({ message: Blobs.explain(choice.blobs, error) })
            : error,
        ),
      )
      const keyring = yield* EncryptionKeys.ofServer(choice)
      const services = yield* Layer.build(
        Services.layer.pipe(
          Layer.provideMerge(stores),
          Layer.provide([SentryPayloadDecoder.layer(), ZipBundleReader.layer]),
          Layer.provideMerge(Engine.layer),
        ),
      ).pipe(
        Effect.provideService(RecentBlocks, handover.recentBlocks),
        Effect.provideService(Keyring.Keyring, keyring),
      )
      // One for all that goes out: webhooks, source maps, and the documents of applications.
      const outbound = yield* Layer.build(NodeOutboundClient.layer)
      if (nodeRoles.includes("worker")) {
        yield* Effect.addFinalizer(() => Effect.provide(reportQueue, services))
        yield* startWorkers(storage.database, choice.blobs, handover, metrics !== null).pipe(
          Effect.provide(Context.merge(services, outbound)),
          Effect.provideService(Keyring.Keyring, keyring),
        )
      }
      if (bound !== null) {
        // Only where the API key is shown.
        const isKeyGiven = admin.apiKey !== undefined
        const created = yield* firstStart({
          adminEmailAddress: admin.emailAddress,
          adminApiKey: admin.apiKey,
          showAdmin: (created) =>
            isKeyGiven ? Effect.void : Console.log(adminSecrets(bound.baseUrl, created)),
        }).pipe(Effect.provide(services))
        const documents = yield* Effect.provide(Layer.build(ClientDocumentReader.layer), outbound)
        const { baseUrl } = yield* Effect.provide(bound.serve, Context.merge(services, documents))
        if (choice.storage.kind === "embedded") yield* ServedAddress.write(choice.storage.dataDir, baseUrl)
        yield* Console.log(welcome(baseUrl, created, isKeyGiven, choice.settings.policies.errorRetention))
      } else {
        yield* Console.log("Errata is recording; it takes no requests (roles: worker).")
      }
      yield* Effect.addFinalizer(() => Effect.zipRight(stopsSoon, Effect.logInfo("Stopping")))
      yield* Effect.never
    }),
  ).pipe(
    Effect.catchTag(
      "ValidationError",
      (error) => new CommandFailed({ message: sentences(error, choice.admin.names) }),
    ),
    Effect.provide(Tracing.layer),
    Effect.provideService(ErrataConfig, choice.settings),
    Effect.provideService(NodeName, nodeName("server")),
  )

// internal

/** The figures of the process, and of the thread that records. */
const metricsWith = (handover: RecorderThread.Handover) => {
  const ofProcess = ProcessMetrics.make()
  return () => [...ofProcess(), ...handover.metrics()]
}

/** Recording is for a thread of its own where the data are in a database that it can reach; all else waits more than it works. */
const startWorkers = (
  database: Option.Option<Storage.Database>,
  blobs: Blobs.BlobsChoice,
  handover: RecorderThread.Handover,
  hasMetrics: boolean,
) =>
  Effect.gen(function* () {
    const script = yield* RecorderScript
    if (Option.isSome(database) && Option.isSome(script)) {
      yield* RecorderWorker.started
      yield* RecorderThread.start({
        script: script.value,
        database: database.value,
        blobs,
        handover,
        hasMetrics,
      })
      yield* Layer.build(
        Layer.mergeAll(
          Services.layerBackground,
          Services.layerDispatcher,
          Layer.provide(Services.layerResolving, SentryPayloadDecoder.layer()),
        ),
      )
    } else {
      yield* Layer.build(Layer.provide(Services.layerWorkers, SentryPayloadDecoder.layer()))
    }
  })

/** What is left when the workers have stopped is recorded at the next start. */
const reportQueue = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  const { payloads } = yield* pending.size
  yield* Effect.logInfo(
    payloads === 0 ? "Everything accepted is recorded" : `Left in the queue for the next start: ${payloads}`,
  )
}).pipe(Effect.ignore)

const adminSecrets = (baseUrl: string, { apiKey, link, user }: InvitedUser): string =>
  [
    `API key of the admin ${user.emailAddress} (shown only now): ${Redacted.value(apiKey)}`,
    `Sign-in link, for one use within 24 hours: ${signInLinkUrl(baseUrl, Redacted.value(link.token))}`,
  ].join("\n")

const welcome = (
  baseUrl: string,
  { admin, project }: FirstStart,
  isKeyGiven: boolean,
  retention: InstancePolicies["errorRetention"],
): string => {
  const lines = [`Errata is listening on ${baseUrl}`]
  if (admin !== null) {
    lines.push("", `Created the admin ${admin.user.emailAddress}.`)
    // Who gave the key knows it; there it stays out of logs.
    lines.push(
      isKeyGiven
        ? "API key: as given. For a link that signs in: errata users sign-in-link EMAIL_ADDRESS"
        : "Its API key and a sign-in link stand above.",
    )
  } else {
    lines.push(
      "For a new API key where one is lost: errata users rotate-key EMAIL_ADDRESS",
      "For a link that signs in: errata users sign-in-link EMAIL_ADDRESS",
    )
  }
  if (project !== null) {
    lines.push(
      "",
      `Created the project "${project.name}". DSN for your application's Sentry SDK:`,
      `  ${dsn(baseUrl, project)}`,
      "",
      "Try it:",
      `  ${curl(baseUrl, project)}`,
      "",
      "Read errors in a terminal, with the API key from above:",
      `  errata login --url ${baseUrl}`,
      "  errata groups list",
      "",
      retentionText(retention),
    )
  }
  return lines.join("\n")
}

const retentionText = (retention: InstancePolicies["errorRetention"]): string =>
  retention.enabled && retention.timeBasedEnabled
    ? [
        retention.timePurgeType === "partial"
          ? `The details of reports are deleted after ${retention.retentionPeriodDays} days; groups and counts stay.`
          : `Reports are deleted after ${retention.retentionPeriodDays} days.`,
        "To keep them longer: errata policies set error-retention retention_period_days=DAYS",
      ].join("\n")
    : "Errors are not deleted by age. To change that: errata policies set error-retention enabled=true time_based_enabled=true"

const dsn = (baseUrl: string, project: Project): string => {
  const { protocol, host, pathname } = new URL(baseUrl)
  return `${protocol}//${project.token}@${host}${pathname.replace(/\/$/, "")}/${project.id}`
}

const curl = (baseUrl: string, project: Project): string =>
  `curl '${baseUrl}/api/${project.id}/store/?sentry_key=${project.token}&sentry_version=7' ` +
  `-d '{"level":"error","exception":{"values":[{"type":"Error","value":"Hello, Errata"}]}}'`
