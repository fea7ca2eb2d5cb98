/** Publishes the server's socket in the data folder, so that processes of the same user can connect. */
import { lstat, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import type { StartFailed } from "../EmbeddedPostgresError.js"
import { attempt } from "./Commands.js"
import type { Holding } from "./FolderLock.js"
import * as OwnFile from "./OwnFile.js"
import type { Endpoint } from "./Settings.js"

/** Publishes the endpoint until the scope closes. `holding` is the id of the lock on the folder. */
export const publish = (
  dataDir: string,
  holding: string,
  { port, socketDir }: Endpoint,
): Effect.Effect<void, StartFailed, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(`${fileIn(dataDir)} could not be written`, async () =>
      OwnFile.write(
        fileIn(dataDir),
        Schema.encodeSync(Document)({ holding, socketDir: socketDir ?? null, port }),
      ),
    ),
    () => Effect.ignore(Effect.tryPromise(() => rm(fileIn(dataDir), { force: true }))),
  )

/** Reads the endpoint of the lock's holder. None if it is missing or another user may have written it. */
export const find = (dataDir: string, { id }: Holding): Effect.Effect<Option.Option<Endpoint>> =>
  Effect.gen(function* () {
    const { content, isOwn } = yield* OwnFile.read(fileIn(dataDir))
    const found = Option.filter(
      Schema.decodeOption(Document)(content),
      ({ holding }) => isOwn && holding === id,
    )
    if (Option.isNone(found)) return Option.none()
    const { port, socketDir } = found.value
    if (socketDir === null) return Option.some({ port, socketDir: undefined })
    return (yield* isPrivate(dataDir, socketDir)) ? Option.some({ port, socketDir }) : Option.none()
  })

// internal

const Document = Schema.fromJsonString(
  Schema.Struct({ holding: Schema.String, socketDir: Schema.NullOr(Schema.String), port: Schema.Int }),
)

const fileIn = (dataDir: string) => join(dataDir, "endpoint")

/** Returns whether only the owner of the database can access the socket's folder. */
const isPrivate = (dataDir: string, socketDir: string) =>
  Effect.promise(async () => {
    const [folder, cluster] = await Promise.all(
      [socketDir, join(dataDir, "cluster")].map((path) => lstat(path).catch(() => undefined)),
    )
    return (
      folder !== undefined &&
      cluster !== undefined &&
      folder.isDirectory() &&
      (folder.mode & 0o077) === 0 &&
      folder.uid === cluster.uid
    )
  })
