/**
 * The account that the database runs as.
 *
 * PostgreSQL refuses to run as root. A server started by root is therefore given to an unprivileged account with no
 * capability at all. That account cannot pass the folders above its data (a checkout in a folder of mode 0700), and it
 * need not: root enters the folder first, and `/proc/self/cwd` leads back to it without passing what is above.
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
  /** Who the process becomes; undefined where it stays who it is. */
  readonly ids: Ids | undefined
  /** What stands before every command line. */
  readonly prefix: ReadonlyArray<string>
  /** Who must own the files; undefined where they already are the caller's. */
  readonly owner: Ids | undefined
  /** How a process that was started in a folder names that folder. */
  readonly pathOf: (folder: string) => string
}

/** The accounts worth trying for a database in `dataDir`, best first. */
export const candidates = (dataDir: string): Effect.Effect<ReadonlyArray<Account>, StartFailed> =>
  Effect.try({
    try: () => {
      const uid = process.getuid?.()
      const gid = process.getgid?.()
      if (uid === undefined || gid === undefined) return [itself]
      const name = nameOf(uid)
      if (uid !== 0 && name !== undefined) return [itself]
      // `initdb` insists on a name for its user id. Containers run under ids that have none.
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
 * Where root may not become another user (a container with a single id, a bounded set of capabilities): a user
 * namespace in which the same user goes by another number. Its files stay root's and so does its access to files,
 * without any capability.
 */
const mapped = (ids: Ids, owner: Ids): Account => ({
  description: `user id ${owner.uid} under another number, in a user namespace`,
  ids: undefined,
  prefix: ["unshare", "--user", `--map-user=${ids.uid}`, `--map-group=${ids.gid}`, "--"],
  owner,
  pathOf: (folder) => (throughProc ? "/proc/self/cwd" : folder),
})

const nameOf = (uid: number): string | undefined => users().find((user) => user.uid === uid)?.name

/** Whom the data belongs to already, so that the choice of the first start, or of an administrator, lasts. */
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
  // Directory services know users that the file does not; the system library asks them all.
  return [...known, ...currentUser()]
}

const currentUser = () => {
  try {
    const { username, uid, gid } = userInfo()
    return [{ name: username, uid, gid }]
  } catch {
    // Node throws where the running user has no name.
    return []
  }
}
