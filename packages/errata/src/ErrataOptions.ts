/** The options of an instance. */

import type { AccessPolicy, ErrataSettings, IngestTransport, ProjectBinding, Services } from "@errata/core"
import type { NotificationTarget } from "@errata/core/ports"
import type { CaptureControlOptions } from "@errata/effect/capture"
import type { Dashboard } from "@errata/http"
import type { Layer, Tracer } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import type { LogLine } from "./LogLine.js"
import type { OpenTelemetryTracer } from "./OpenTelemetryTracer.js"
import type { People } from "./People.js"

/** Values as the configuration file writes them, e.g. `"30 seconds"`, `"4 MiB"`, `2`, `true`; see docs/configuration.md. */
export type SettingsInput<Encoded = typeof ErrataSettings.Encoded> = {
  // Constants are optional in the encoded form, settings are not.
  readonly [Name in keyof Encoded as {} extends Pick<Encoded, Name>
    ? never
    : Name]?: Encoded[Name] extends string ? string | number | boolean : SettingsInput<Encoded[Name]>
}

/** The options of an instance. */
export interface ErrataOptions extends CaptureControlOptions {
  /** Where the data live: `memory()`, `postgres()` of `errata/postgres`, or `embedded()` of `errata/embedded`. */
  readonly storage: ErrataStorage
  /**
   * A layer of ports that replace those of the storage, or the instance's own: `PayloadDecoder`, `OutboundClient`,
   * `SourceMapEngine`, `BundleReader`.
   */
  readonly adapters?: Layer.Layer<never, { readonly message: string }, Services.Stores> | undefined
  /** Transports of your own, made with `ingestTransport` of `@errata/core`, whose messages `receive` accepts. */
  readonly transports?: ReadonlyArray<IngestTransport<unknown>> | undefined
  /**
   * Kinds of targets that notifications can be sent to, besides those of `adapters`: your own, or those of `@errata/notify`.
   * Without any, projects have webhooks only.
   */
  readonly notifications?: ReadonlyArray<NotificationTarget> | undefined
  /**
   * Where the instance is mounted, for DSNs and for links on its pages, e.g. `https://app.example.com/errors`. Without it
   * an instance still answers requests, wherever it is mounted.
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * The project that `capture` reports to, which is created where it is missing. Its key stays when people rename it. A text is
   * the key, and the name of a new project. Without it errors go to the oldest project that no application has bound.
   */
  readonly project?: string | ProjectBinding | undefined
  /**
   * What captured errors say of where they happened, unless their context says otherwise. The variables
   * `ERRATA_ENVIRONMENT`, `SENTRY_ENVIRONMENT` or `NODE_ENV` by default.
   */
  readonly environment?: string | undefined
  /** The variables `ERRATA_RELEASE`, `SENTRY_RELEASE` or those of common platforms by default. */
  readonly release?: string | undefined
  /** The name of the host unless told. */
  readonly serverName?: string | undefined
  /**
   * Seals the secrets of webhooks in the storage: 32 bytes in base64 or hexadecimal, several with commas between. In memory
   * and beside an embedded database one is made; on another database there are no webhooks without.
   */
  readonly encryptionKey?: string | undefined
  /**
   * Gets the spans of Errata's own work: a tracer of OpenTelemetry (`trace.getTracer("errata")`) or of Effect. None by
   * default.
   */
  readonly tracer?: OpenTelemetryTracer | Tracer.Tracer | undefined
  /** Settings by name, where the defaults do not fit. */
  readonly settings?: SettingsInput | undefined
  /** Who may do what; the rules of the REST API unless told. */
  readonly access?: AccessPolicy.AccessRules | undefined
  /** Who is signed in to the application, where people are to sign in there instead of with Errata's own pages. */
  readonly people?: People | undefined
  /** The web interface at the address of the mount: `dashboard` of `@errata/dashboard`. Not at all by default. */
  readonly dashboard?: Dashboard | undefined
  /** Sites that may show the dashboard in a frame: `'self'` or origins such as `https://example.com`. None by default. */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
  /** Origins from which browsers may call the REST API; `*` for any. None by default. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Serves figures for Prometheus at `/metrics`, to everybody or to who has the token. Not at all by default. */
  readonly metrics?: boolean | { readonly token: string } | undefined
  /** How many proxies stand in front, each of which appends to `X-Forwarded-For`. None by default. */
  readonly trustedProxies?: number | undefined
  /** Takes the lines of the log; `"silent"` for none. Unless told, warnings and errors go to standard error. */
  readonly log?: ((line: LogLine) => void) | "silent" | undefined
  /** What time it is, in epoch milliseconds: for tests. */
  readonly now?: (() => number) | undefined
}
