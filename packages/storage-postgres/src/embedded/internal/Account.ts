/**
 * The account that the database runs as.
 *
 * PostgreSQL refuses to run as root. If root starts it, it therefore runs as an unprivileged account without
 * capabilities. That account may be unable to traverse the parents of the data folder, such as a checkout of mode 0700.
 * Root therefore enters the folder first, and `/proc/self/cwd` refers to it without a path lookup.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { userInfo } from "node:os"
import { Effect } from "effect"
import { StartFailed } from "../EmbeddedPostgresError.js"

export interface Ids {
  readonly uid: number
  readonly gid: number
}

export interface Account {
  readonly description: string
  /** User and group ids of the process; undefined to keep those of this process. */
  readonly ids: Ids | undefined
  /** Arguments before every command line. */
  readonly prefix: ReadonlyArray<string>
  /** Required owner of the files; undefined if the caller already owns them. */
  readonly owner: Ids | undefined
  /** Path of a folder, from a process that was started in it. */
  readonly pathOf: (folder: string) => string
}

/** Accounts to try for a database in `dataDir`, best first. */
export const candidates = (dataDir: string): Effect.Effect<ReadonlyArray<Account>, StartFailed> =>
  Effect.try({
    try: () => {
      const uid = process.getuid?.()
      const gid = process.getgid?.()
      if (uid === undefined || gid === undefined) return [itself]
      const name = nameOf(uid)
      if (uid !== 0 && name !== undefined) return [itself]
      // `initdb` requires a user name. Containers often run under a user id without one.
      const inNamespace = mapped(unprivileged(), { uid, gid })
      return uid === 0 ? [dropped(ownerOf(dataDir) ?? unprivileged()), inNamespace] : [inNamespace]
    },
    catch: (cause) => new StartFailed({ detail: "the accounts of this machine could not be read", cause }),
  })

// internal

const itself: Account = {
  description: "the user of this process",
  ids: undefined,
  prefix: [],
  owner: undefined,
  pathOf: (folder) => folder,
}

const throughProc = existsSync("/proc/self/cwd")

const dropped = (ids: Ids): Account => ({
  description: `user ${nameOf(ids.uid) ?? ids.uid}, without any privilege of root`,
  ids,
  prefix: [],
  owner: ids,
  pathOf: (folder) => (throughProc ? "/proc/self/cwd" : folder),
})

/**
 * A user namespace that maps the same user to another id. Used where root cannot switch users, as in containers with a
 * single id or without the capability. Files stay owned by root, and the process has no capabilities.
 */
const mapped = (ids: Ids, owner: Ids): Account => ({
  description: `user id ${owner.uid} under another number, in a user namespace`,
  ids: undefined,
  prefix: ["unshare", "--user", `--map-user=${ids.uid}`, `--map-group=${ids.gid}`, "--"],
  owner,
  pathOf: (folder) => (throughProc ? "/proc/self/cwd" : folder),
})

const nameOf = (uid: number): string | undefined => users().find((user) => user.uid === uid)?.name

/** The current owner of the data, so that the choice of the first start or of an administrator is kept. */
const ownerOf = (dataDir: string): Ids | undefined => {
  const ids = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
  }
  const folder = ids(dataDir)
  return ids(`${dataDir}/cluster`) ?? (folder && nameOf(folder.uid) !== undefined ? folder : undefined)
}

const unprivileged = (): Ids => {
  const known = users()
  const user = known.find(({ name }) => name === "postgres") ?? known.find(({ name }) => name === "nobody")
  return user ?? { uid: 65_534, gid: 65_534 }
}

const users = () => {
  const lines = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8").split("\n") : []
  const known = lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(":")
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
  // Directory services have users that are not in the file. The system library queries both.
  return [...known, ...currentUser()]
}

const currentUser = () => {
  try {
    const { username, uid, gid } = userInfo()
    return [{ name: username, uid, gid }]
  } catch {
    // Node throws if the user has no name.
    return []
  }
}
