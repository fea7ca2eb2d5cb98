/** The options of `createErrata`. */

import type { AccessPolicy, ErrataSettings, IngestTransport, ProjectBinding, Services } from "@errata/core"
import type { NotificationTarget } from "@errata/core/ports"
import type { CaptureControlOptions } from "@errata/effect/capture"
import type { Dashboard } from "@errata/http"
import type { Layer, Tracer } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import type { LogLine } from "./LogLine.js"
import type { OpenTelemetryTracer } from "./OpenTelemetryTracer.js"
import type { People } from "./People.js"

/** Values as in the configuration file, e.g. `"30 seconds"`, `"4 MiB"`, `2`, `true`; see docs/configuration.md. */
export type SettingsInput<Encoded = typeof ErrataSettings.Encoded> = {
  // Constants are optional in the encoded form, settings are not.
  readonly [Name in keyof Encoded as {} extends Pick<Encoded, Name>
    ? never
    : Name]?: Encoded[Name] extends string ? string | number | boolean : SettingsInput<Encoded[Name]>
}

/** The options of `createErrata`. */
export interface ErrataOptions extends CaptureControlOptions {
  /** The storage: `memory()`, `postgres()` of `errata/postgres`, or `embedded()` of `errata/embedded`. */
  readonly storage: ErrataStorage
  /**
   * A layer of ports that replaces those of the storage, or the instance's own `PayloadDecoder`, `OutboundClient`,
   * `SourceMapEngine` or `BundleReader`.
   */
  readonly adapters?: Layer.Layer<never, { readonly message: string }, Services.Stores> | undefined
  /** Your own transports, made with `ingestTransport` of `@errata/core`. `receive` accepts their messages. */
  readonly transports?: ReadonlyArray<IngestTransport<unknown>> | undefined
  /**
   * Kinds of notification targets besides those of `adapters`: your own, or those of `@errata/notify`. Without any,
   * projects have webhooks only.
   */
  readonly notifications?: ReadonlyArray<NotificationTarget> | undefined
  /**
   * The public URL of the instance, for DSNs and links, e.g. `https://app.example.com/errors`. Without it, the instance
   * still answers requests wherever it is mounted.
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * The project that `capture` reports to. It is created if it is missing. A string is both its key and the name of a
   * new project. The key stays if users rename the project. Default: the oldest project that no application has bound.
   */
  readonly project?: string | ProjectBinding | undefined
  /** Environment of captured errors. Default: the variable `ERRATA_ENVIRONMENT`, `SENTRY_ENVIRONMENT` or `NODE_ENV`. */
  readonly environment?: string | undefined
  /** Release of captured errors. Default: the variable `ERRATA_RELEASE`, `SENTRY_RELEASE`, or a common platform's. */
  readonly release?: string | undefined
  /** Server name of captured errors. Default: the host name. */
  readonly serverName?: string | undefined
  /**
   * Encrypts the secrets of webhooks in the storage: 32 bytes in base64 or hexadecimal, or several keys separated by
   * commas. In memory and with an embedded database, a key is generated. On other databases, webhooks need this option.
   */
  readonly encryptionKey?: string | undefined
  /** Receives the spans of Errata's own work: a tracer of OpenTelemetry (`trace.getTracer("errata")`) or of Effect. */
  readonly tracer?: OpenTelemetryTracer | Tracer.Tracer | undefined
  /** Settings by name. Missing ones keep their defaults. */
  readonly settings?: SettingsInput | undefined
  /** Access rules. Default: the rules of the REST API. */
  readonly access?: AccessPolicy.AccessRules | undefined
  /** Identifies users by the application's own sign-in, in place of Errata's pages. */
  readonly people?: People | undefined
  /** The web interface: `dashboard` of `@errata/dashboard`. Default: none. */
  readonly dashboard?: Dashboard | undefined
  /** Sites that may show the dashboard in a frame: `'self'` or origins such as `https://example.com`. Default: none. */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
  /** Origins from which browsers may call the REST API, or `*` for any. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Serves Prometheus metrics at `/metrics`, to everybody or with a token. Default: disabled. */
  readonly metrics?: boolean | { readonly token: string } | undefined
  /** Number of reverse proxies in front, each of which appends to `X-Forwarded-For`. Default: 0. */
  readonly trustedProxies?: number | undefined
  /** Receives log lines. `"silent"` disables logging. Default: warnings and errors go to standard error. */
  readonly log?: ((line: LogLine) => void) | "silent" | undefined
  /** The clock, in epoch milliseconds. For tests. */
  readonly now?: (() => number) | undefined
}
