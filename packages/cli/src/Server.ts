/** The standalone server: one composition of core, a storage and HTTP. */
import {
  ErrataConfig,
  type InstancePolicies,
  type InvitedUser,
  type Project,
  Services,
  signInLinkUrl,
  Users,
  WebAddress,
} from "@errata/core"
import { type FirstStart, firstStart, MetricFamily, RecorderWorker } from "@errata/core/internal"
import { ClientDocumentReader, Keyring, NodeName, PendingPayloads, SharedClock } from "@errata/core/ports"
import { ErrataServer, type MetricsOptions, NodeOutboundClient } from "@errata/http"
import { mcp } from "@errata/mcp"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, FrameMapping, HostedMapFetcher, ZipBundleReader } from "@errata/sourcemap"
import { RecentBlocks } from "@errata/storage-postgres"
import { Config, Console, Context, Effect, identity, Layer, Option, Redacted } from "effect"
import * as Blobs from "./Blobs.js"
import * as DashboardPackage from "./DashboardPackage.js"
import * as EncryptionKeys from "./EncryptionKeys.js"
import { CommandFailed, sentences } from "./ErrorOutput.js"
import { nodeName } from "./NodeName.js"
import * as Notifications from "./Notifications.js"
import * as ProcessMetrics from "./ProcessMetrics.js"
import { RecorderScript } from "./RecorderScript.js"
import * as RecorderThread from "./RecorderThread.js"
import * as ServedAddress from "./ServedAddress.js"
import type { ServerChoice } from "./ServerChoice.js"
import * as ServerProcess from "./ServerProcess.js"
import * as StopLimit from "./StopLimit.js"
import * as Storage from "./Storage.js"
import { describe } from "./StorageOptions.js"
import * as Tracing from "./Tracing.js"
import { version } from "./Version.js"

/** Serves until the process receives a signal to stop. */
export const run = (choice: ServerChoice) =>
  Effect.scoped(
    Effect.gen(function* () {
      const handover = new RecorderThread.Handover()
      const stopsSoon = yield* StopLimit.make(choice.drainTime)
      yield* Effect.annotateLogs(Effect.logInfo("Starting Errata"), {
        version,
        storage: describe(choice.storage),
      })
      // The port is bound first, so that a used port leaves nothing behind. Early requests wait until the server is
      // ready. Later processes bind it last, because the others can answer meanwhile.
      const bind = listen(choice, yield* gatherMetrics(choice, handover))
      const isWeb = choice.roles.includes("web")
      const early = isWeb && ServerProcess.number === 1 ? yield* bind : null
      // Layers are built in sequence, so that they end in reverse order: requests stop first, then recording, then the
      // storage.
      const storage = yield* Storage.open(choice.storage, choice.migrates)
      const keyring = yield* EncryptionKeys.ofServer(choice)
      const services = yield* Layer.build(layerServices(storage, choice.blobs)).pipe(
        Effect.provideService(RecentBlocks, handover.recentBlocks),
        Effect.provideService(Keyring.Keyring, keyring),
      )
      // One client for all outbound requests: webhooks, source maps and client documents.
      const outbound = yield* Layer.build(NodeOutboundClient.layer)
      if (choice.roles.includes("worker")) {
        yield* Effect.addFinalizer(() => Effect.provide(reportQueue, services))
        yield* startWorkers(storage.database, choice, handover).pipe(
          Effect.provide(Context.merge(services, outbound)),
          Effect.provideService(Keyring.Keyring, keyring),
        )
      }
      yield* isWeb
        ? serve(early ?? (yield* bind), choice).pipe(
            Effect.provide(Context.merge(services, outbound)),
            Effect.catchTag(
              "StorageError",
              (error) => new CommandFailed({ message: storage.explain(error) }),
            ),
          )
        : print("Errata is recording events. This node serves no requests (roles: worker).")
      yield* Effect.addFinalizer(() => Effect.andThen(stopsSoon, Effect.logInfo("Stopping")))
      yield* ServerProcess.serving
      yield* ServerProcess.stopped
    }),
  ).pipe(
    Effect.catchTag(
      "ValidationError",
      (error) => new CommandFailed({ message: sentences(error, choice.admin.names) }),
    ),
    Effect.provide(Notifications.layerOf(choice.mail)),
    Effect.provide(Tracing.layer),
    Effect.provideService(ErrataConfig, choice.settings),
    // Otherwise the address of each request applies, and other links are null.
    choice.baseUrl === undefined
      ? identity
      : Effect.provideService(WebAddress, choice.baseUrl.replace(/\/+$/, "")),
    Effect.provideService(NodeName, nodeName("server")),
    ServerProcess.annotated,
  )

// internal

/** Binds the port of a node that answers requests, and loads the dashboard if that is installed. */
const listen = Effect.fnUntraced(function* (choice: ServerChoice, metrics: MetricsOptions | undefined) {
  const { baseUrl, corsOrigins, drainTime, dsnPrefixes, host, port, trustedProxies } = choice
  const dashboard = choice.hasDashboard ? yield* DashboardPackage.load() : undefined
  const bound = yield* ErrataServer.listen({
    host,
    port,
    baseUrl,
    dsnPrefixes,
    corsOrigins,
    dashboard,
    drainTime,
    metrics,
    mcp,
    trustedProxies,
  }).pipe(
    Effect.catchTag(
      "ListenError",
      ({ message }) =>
        new CommandFailed({
          message: `${message}. Choose another address with --port and --host, or ERRATA_PORT and ERRATA_HOST.`,
        }),
    ),
  )
  yield* Effect.annotateLogs(Effect.logInfo("Port bound"), { host: bound.host, port: bound.port })
  return { bound, hasDashboard: dashboard !== undefined }
})

const layerServices = (
  { layer }: Effect.Success<ReturnType<typeof Storage.open>>,
  blobs: Blobs.BlobsChoice,
) =>
  Services.layer.pipe(
    Layer.provide(FrameMapping.layer),
    Layer.provideMerge(SharedClock.layer),
    Layer.provideMerge(
      Layer.effectContext(
        Effect.mapError(Layer.build(Blobs.withBlobs(Blobs.withObjects(layer, blobs), blobs)), (error) =>
          error._tag === "StorageError" || error._tag === "ObjectStoreError"
            ? new Storage.StorageUnusable({ message: Blobs.explain(blobs, error) })
            : error,
        ),
      ),
    ),
    Layer.provide([SentryPayloadDecoder.layer(), ZipBundleReader.layer]),
    Layer.provideMerge(Engine.layer),
  )

/** Creates the admin of a new instance, answers requests from now on, and prints the address. */
const serve = Effect.fnUntraced(function* (
  { bound, hasDashboard }: Effect.Success<ReturnType<typeof listen>>,
  { admin, settings, storage }: ServerChoice,
) {
  // The secrets are printed only with a generated API key.
  const isKeyGiven = admin.apiKey !== undefined
  const created = yield* firstStart({
    adminEmailAddress: admin.emailAddress,
    adminApiKey: admin.apiKey,
    showAdmin: (created) =>
      isKeyGiven ? Effect.void : Console.log(adminSecrets(bound.baseUrl, created, hasDashboard)),
  })
  if (admin.apiKey !== undefined && created.admin === null)
    yield* warnOfUnusedKey(admin.apiKey, admin.names.apiKey)
  const documents = yield* Layer.build(ClientDocumentReader.layer)
  const { baseUrl } = yield* Effect.provide(bound.serve, documents)
  if (storage.kind === "embedded") yield* ServedAddress.write(storage.dataDir, baseUrl)
  const command = yield* invocation
  yield* print(welcome(baseUrl, command, created, isKeyGiven, hasDashboard, settings.policies.errorRetention))
})

/** Warns an operator who set another key after the first start, because only that start reads it. */
const warnOfUnusedKey = Effect.fnUntraced(function* (apiKey: Redacted.Redacted, setting: string) {
  const users = yield* Users
  yield* Effect.catchTag(users.authenticate(apiKey), "InvalidApiKey", () =>
    ServerProcess.number === 1
      ? Effect.annotateLogs(
          Effect.logWarning(
            "The configured API key is not in use, because an admin exists. Remove the setting. To replace an admin's key, run errata users rotate-key EMAIL_ADDRESS",
          ),
          { setting },
        )
      : Effect.void,
  )
})

/** All metrics of the server: of its processes and their recorder threads. */
const gatherMetrics = ({ metrics }: ServerChoice, handover: RecorderThread.Handover) => {
  if (metrics === null) return Effect.succeed(undefined)
  const ofProcess = ProcessMetrics.make()
  return Effect.map(
    ServerProcess.sharedMetrics(() =>
      MetricFamily.together(MetricFamily.snapshot(), ofProcess(), handover.metrics()),
    ),
    (gather) => ({ token: metrics.token, gather }),
  )
}

/** Prints once, however many processes the server has. */
const print = (text: string) => (ServerProcess.number === 1 ? Console.log(text) : Effect.void)

/**
 * Starts the workers. Recording runs in a thread if that thread can reach the database. All other workers mostly wait.
 */
const startWorkers = (
  database: Option.Option<Storage.Database>,
  { blobs, metrics }: ServerChoice,
  handover: RecorderThread.Handover,
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
        hasMetrics: metrics !== null,
      })
      yield* Layer.build(
        Layer.mergeAll(
          Layer.provide(
            Layer.mergeAll(Services.layerBackground, Services.layerDispatcher),
            SentryPayloadDecoder.layer(),
          ),
          Layer.provide(Services.layerMapping, layerMaps),
        ),
      )
    } else {
      yield* Layer.build(Layer.provide(Services.layerWorkers, layerMaps))
    }
  })

/** Decoded events, and the mapping of their frames. */
const layerMaps = FrameMapping.layerHosted.pipe(
  Layer.provideMerge(HostedMapFetcher.layer),
  Layer.provideMerge(SentryPayloadDecoder.layer()),
)

/** Logs how many payloads the stopped workers leave in the queue. */
const reportQueue = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  const { payloads } = yield* pending.size
  yield* payloads === 0
    ? Effect.logInfo("All accepted payloads are recorded")
    : Effect.annotateLogs(Effect.logInfo("Payloads stay in the queue until the next start"), { payloads })
}).pipe(Effect.ignore)

const adminSecrets = (
  baseUrl: string,
  { apiKey, link, user }: InvitedUser,
  hasDashboard: boolean,
): string => {
  const url = signInLinkUrl(baseUrl, Redacted.value(link.token))
  return [
    `API key of the admin ${user.emailAddress} (shown only now): ${Redacted.value(apiKey)}`,
    hasDashboard
      ? `Open the dashboard (the link signs you in once, within 24 hours): ${url}`
      : `Sign-in link (works once, within 24 hours): ${url}`,
  ].join("\n")
}

/** The command as the user can type it: npm scripts and npx find it when the shell does not. */
const invocation = Config.String("npm_command").pipe(
  // A package downloaded by npx is in no folder of the user.
  Effect.as(process.argv[1]?.includes("_npx") ? "npx @errata/cli" : "npx errata"),
  Effect.orElseSucceed(() => "errata"),
)

const welcome = (
  baseUrl: string,
  command: string,
  { admin, project }: FirstStart,
  isKeyGiven: boolean,
  hasDashboard: boolean,
  retention: InstancePolicies["errorRetention"],
): string => {
  const lines = [
    `Errata is listening on ${baseUrl}`,
    ...(hasDashboard ? [`The dashboard is at the same address. Open it in a browser.`] : []),
  ]
  if (admin !== null) {
    lines.push("", `Created the admin ${admin.user.emailAddress}.`)
    // A configured key is known to the operator, and must not appear in logs.
    lines.push(
      isKeyGiven
        ? `Its API key is the configured one. To create a sign-in link: ${command} users sign-in-link EMAIL_ADDRESS`
        : `Its API key and a ${hasDashboard ? "link to the dashboard" : "sign-in link"} are printed above.`,
    )
  } else {
    lines.push(
      `To replace a lost API key: ${command} users rotate-key EMAIL_ADDRESS`,
      `To create a sign-in link: ${command} users sign-in-link EMAIL_ADDRESS`,
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
      `Read errors in a terminal, with ${isKeyGiven || admin === null ? "your API key" : "the API key printed above"}:`,
      `  ${command} login --url ${baseUrl}`,
      `  ${command} groups list`,
      "",
      retentionText(retention, command),
    )
  }
  return lines.join("\n")
}

const retentionText = (retention: InstancePolicies["errorRetention"], command: string): string =>
  retention.enabled && retention.timeBasedEnabled
    ? [
        retention.timePurgeType === "partial"
          ? `Details of reports are deleted after ${retention.retentionPeriodDays} days. Groups and counts are kept.`
          : `Reports are deleted after ${retention.retentionPeriodDays} days.`,
        `To keep them longer: ${command} policies set error-retention retention_period_days=DAYS`,
      ].join("\n")
    : `Reports are kept until you delete them. To delete old ones: ${command} policies set error-retention enabled=true time_based_enabled=true`

const dsn = (baseUrl: string, project: Project): string => {
  const { protocol, host, pathname } = new URL(baseUrl)
  return `${protocol}//${project.token}@${host}${pathname.replace(/\/$/, "")}/${project.id}`
}

const curl = (baseUrl: string, project: Project): string =>
  `curl '${baseUrl}/api/${project.id}/store/?sentry_key=${project.token}&sentry_version=7' ` +
  `-d '{"level":"error","exception":{"values":[{"type":"Error","value":"Hello, Errata"}]}}'`
