/** Errors of the embedded database. */
import { Data } from "effect"

/** Another live process uses the data folder; `pid` is its process id. */
export class DataFolderInUse extends Data.TaggedError("DataFolderInUse")<{
  readonly dataDir: string
  readonly pid: number
}> {
  override get message() {
    return this.pid === process.pid
      ? `The data folder ${this.dataDir} is in use by this process already. Close that instance first, or use another data folder.`
      : `The data folder ${this.dataDir} is in use by process ${this.pid}. Stop that process, or use another data folder.`
  }
}

/** The process that uses the data folder runs as another user, so this user cannot reach its database. */
export class DataFolderOfAnother extends Data.TaggedError("DataFolderOfAnother")<{
  readonly dataDir: string
  readonly pid: number
}> {
  override get message() {
    return (
      `The data folder ${this.dataDir} is in use by process ${this.pid}, which runs as another user. ` +
      "Run the command as that user."
    )
  }
}

/** No process runs a database on the data folder that clients could use. */
export class NothingRuns extends Data.TaggedError("NothingRuns")<{
  readonly dataDir: string
}> {
  override get message() {
    return `No process runs the database in ${this.dataDir}.`
  }
}

/** The data folder cannot be created or written. `detail` ends the message. */
export class DataFolderUnusable extends Data.TaggedError("DataFolderUnusable")<{
  readonly dataDir: string
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message() {
    return `The data folder ${this.dataDir} cannot be used: ${this.detail}`
  }
}

/** The PostgreSQL programs are missing, or this machine cannot execute them. */
export class BinariesUnavailable extends Data.TaggedError("BinariesUnavailable")<{
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message() {
    return `The embedded PostgreSQL cannot be used here: ${this.detail} Set DATABASE_URL to use your own PostgreSQL server.`
  }
}

/** PostgreSQL refuses to run as root, and this machine has no other account that can run it. */
export class NoAccount extends Data.TaggedError("NoAccount")<{
  readonly detail: string
}> {
  override get message() {
    return (
      `No account on this machine can run the embedded PostgreSQL: ${this.detail} ` +
      "Run as an ordinary user, change the owner of the data folder with chown, or set DATABASE_URL to use your own server."
    )
  }
}

/** The database could not be created or started. `log` holds the last lines of PostgreSQL's log. */
export class StartFailed extends Data.TaggedError("StartFailed")<{
  readonly detail: string
  readonly log?: string
  readonly cause?: unknown
}> {
  override get message() {
    const cause = this.cause instanceof Error ? `: ${this.cause.message}` : ""
    const log = this.log === undefined || this.log === "" ? "" : `\n${this.log}`
    return `The embedded database did not start: ${this.detail}${cause}${log}`
  }
}

/** Reasons why the embedded database cannot start. */
export type EmbeddedPostgresError =
  | DataFolderInUse
  | DataFolderUnusable
  | BinariesUnavailable
  | NoAccount
  | StartFailed
