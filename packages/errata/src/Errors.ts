/** How an instance fails where no call of the REST API does. */
import { ErrataError } from "@errata/api/promise"

/** The instance is closed. */
export class ErrataClosedError extends ErrataError {
  readonly code = "Closed"
  readonly status = 503

  constructor(request: string) {
    super("was running when the instance was closed, or started after that", request)
  }
}

/** What was waited for did not come in time. It goes on: nothing is lost by that. */
export class ErrataTimeoutError extends ErrataError {
  readonly code = "TimedOut"
  readonly status = null

  /** `timeout` in milliseconds. */
  constructor(request: string, timeout: number) {
    super(`did not finish within ${timeout} ms`, request)
  }
}

/** The instance could not be made: its storage cannot be opened, or an option is wrong. Nothing is left running. */
export class ErrataStartError extends ErrataError {
  readonly code = "StartFailed"
  readonly status = null

  constructor(detail: string, options?: ErrorOptions) {
    super(`failed: ${detail}`, "createErrata")
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** An error was not stored because the application's own `beforeCapture` failed. */
export class ErrataCaptureError extends ErrataError {
  readonly code = "CaptureFailed"
  readonly status = null

  constructor(detail: string, options?: ErrorOptions) {
    super(`failed: ${detail}`, "capture")
    if (options?.cause !== undefined) this.cause = options.cause
  }
}
