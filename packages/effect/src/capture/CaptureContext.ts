/** The context of an error: everything that the application adds to it. */

/** The severity of a report. */
export type Severity = "debug" | "info" | "warning" | "error" | "fatal"

/** The project to report to: its id, or the project from `projects.get`. */
export type ProjectRef = number | { readonly id: number }

/** The user affected by an error. */
export interface CaptureUser {
  readonly id?: string | number | undefined
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly ip_address?: string | undefined
  readonly [key: string]: unknown
}

/** The request during which an error happened. */
export interface CaptureRequest {
  readonly url?: string | undefined
  readonly method?: string | undefined
  readonly query_string?: string | undefined
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> | undefined
  readonly cookies?: Readonly<Record<string, string>> | undefined
  /** The body. */
  readonly data?: unknown
  readonly env?: Readonly<Record<string, unknown>> | undefined
}

/** Something that happened before the error. */
export interface CaptureBreadcrumb {
  readonly timestamp?: Date | string | number | undefined
  readonly category?: string | undefined
  readonly message?: string | undefined
  readonly level?: Severity | undefined
  readonly type?: string | undefined
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Everything is optional. Values without a JSON form become text. */
export interface CaptureContext {
  /** The first project of the instance by default. */
  readonly project?: ProjectRef | undefined
  /** `error` by default. */
  readonly severity?: Severity | undefined
  /** False if the error ended the request, job or process. True by default. */
  readonly handled?: boolean | undefined
  /** Searchable names and values. */
  readonly tags?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined
  readonly user?: CaptureUser | undefined
  readonly request?: CaptureRequest | undefined
  /** Objects by name, e.g. `{ order: { id: 7 } }`. */
  readonly contexts?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  readonly extra?: Readonly<Record<string, unknown>> | undefined
  readonly breadcrumbs?: ReadonlyArray<CaptureBreadcrumb> | undefined
  /** Errors with the same parts share a group, whatever else differs. `{{ default }}` is the default grouping. */
  readonly fingerprint?: ReadonlyArray<string> | undefined
  /** The name of the request or job, e.g. `GET /orders/:id`. */
  readonly transaction?: string | undefined
  /** Default: that of the instance. */
  readonly environment?: string | undefined
  readonly release?: string | undefined
  readonly serverName?: string | undefined
  /** The time of the error; now by default. */
  readonly timestamp?: Date | string | number | undefined
}
