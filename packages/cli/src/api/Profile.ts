/** The server URL and API key of `errata login`, in a file that only its owner can read. */
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { Clock, Config, Effect, FileSystem, Option, type PlatformError, Schema } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"

const Profile = Schema.Struct({
  url: Schema.String,
  api_key: Schema.RedactedFromValue(Schema.NonEmptyString),
  /** Id or name of the default project. */
  project: Schema.optional(Schema.NonEmptyString),
})
export type Profile = typeof Profile.Type

/** `$XDG_CONFIG_HOME/errata` or `~/.config/errata`; on Windows `%APPDATA%\\errata`. */
export const profileFolder = ({ appData, configHome, home, platform }: Places): string => {
  if (platform === "win32") {
    return join(
      Option.getOrElse(appData, () => join(home, "AppData", "Roaming")),
      "errata",
    )
  }
  // The XDG Base Directory Specification says to ignore relative paths.
  const configured = Option.filter(configHome, isAbsolute)
  return join(
    Option.getOrElse(configured, () => join(home, ".config")),
    "errata",
  )
}

export interface Places {
  readonly platform: string
  readonly home: string
  readonly configHome: Option.Option<string>
  readonly appData: Option.Option<string>
}

/** Reads the profile, if one exists. A file that other users can read is rejected, because its key may have leaked. */
export const readProfile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* profilePath
  const text = yield* fs.readFileString(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeedNone,
    ),
    Effect.mapError((error) => failure(`Reading the profile failed: ${error.message}`)),
  )
  if (Option.isNone(text)) return Option.none<Profile>()
  const { mode } = yield* Effect.mapError(fs.stat(path), (error) => failure(error.message))
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return yield* failure(
      `${path} contains an API key and is readable by other users. Run chmod 600 on it, or log in again.`,
    )
  }
  return yield* decode(text.value).pipe(
    Effect.asSome,
    Effect.mapError(() => failure(`${path} is not a valid profile. Log in again with errata login.`)),
  )
})

/** Replaces the whole profile. Other users can never read it, not even during the write. */
export const writeProfile = (profile: Profile) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* profilePath
    const parent = yield* folder
    const temporary = `${path}.${process.pid}.${yield* Clock.currentTimeMillis}`
    const text = `${yield* encode(profile)}\n`
    yield* makeFolder(fs, parent)
    yield* fs.chmod(parent, 0o700)
    yield* fs.writeFileString(temporary, text, { flag: "wx", mode: 0o600 }).pipe(
      Effect.andThen(fs.rename(temporary, path)),
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
    )
    return path
  }).pipe(
    Effect.catchTag("SchemaError", Effect.die),
    // Messages of the file system contain neither the file's content nor the key.
    Effect.mapError(
      (error) => new CommandFailed({ message: `Writing the profile failed: ${error.message}` }),
    ),
  )

/** Deletes the profile. Returns true if one existed. */
export const removeProfile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* profilePath
  const exists = yield* fs.exists(path)
  yield* fs.remove(path, { force: true })
  return exists
}).pipe(
  Effect.mapError((error) => new CommandFailed({ message: `Deleting the profile failed: ${error.message}` })),
)

// internal

/**
 * Creates a directory and its parents. Node's recursive version loops forever if a directory cannot be created although
 * its parent exists, as in /proc.
 */
const makeFolder = (
  fs: FileSystem.FileSystem,
  path: string,
): Effect.Effect<void, PlatformError.PlatformError> =>
  Effect.gen(function* () {
    if (yield* fs.exists(path)) return
    if (dirname(path) !== path) yield* makeFolder(fs, dirname(path))
    yield* fs.makeDirectory(path, { mode: 0o700 })
  })

const setting = (name: string) =>
  Effect.orElseSucceed(Config.option(Config.NonEmptyString(name)), Option.none<string>)

const folder = Effect.gen(function* () {
  return profileFolder({
    platform: process.platform,
    home: homedir(),
    configHome: yield* setting("XDG_CONFIG_HOME"),
    appData: yield* setting("APPDATA"),
  })
})

const profilePath = Effect.map(folder, (path) => join(path, "profile.json"))

const Document = Schema.fromJsonString(Profile, { space: 2 })
const decode = Schema.decodeEffect(Document)
const encode = Schema.encodeEffect(Document)

const failure = (message: string) => new CommandFailed({ message, exitCode: exitCodes.denied })
