/** Errors of the instance that are not errors of the REST API. */
import { ErrataError } from "@errata/api/promise"

/** The instance is closed. */
export class ErrataClosedError extends ErrataError {
  readonly code = "Closed"
  readonly status = 503

  constructor(request: string) {
    super("was running when the instance was closed, or started after that", request)
  }
}

/** The work did not finish in time. It continues, and nothing is lost. */
export class ErrataTimeoutError extends ErrataError {
  readonly code = "TimedOut"
  readonly status = null

  /** `timeout` in milliseconds. */
  constructor(request: string, timeout: number) {
    super(`did not finish within ${timeout} ms`, request)
  }
}

/** The instance did not start: its storage cannot be opened, or an option is invalid. Nothing is left running. */
export class ErrataStartError extends ErrataError {
  readonly code = "StartFailed"
  readonly status = null

  constructor(detail: string, options?: ErrorOptions) {
    super(`failed: ${detail}`, "createErrata")
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** The error was not stored because the application's `beforeCapture` failed. */
export class ErrataCaptureError extends ErrataError {
  readonly code = "CaptureFailed"
  readonly status = null

  constructor(detail: string, options?: ErrorOptions) {
    super(`failed: ${detail}`, "capture")
    if (options?.cause !== undefined) this.cause = options.cause
  }
}
