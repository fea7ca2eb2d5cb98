/** The server and the key that `errata login` keeps, in a file that only its owner can read. */
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { FileSystem, type Error as PlatformError } from "@effect/platform"
import { Clock, Config, Effect, Option, Schema } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"

const Profile = Schema.Struct({
  url: Schema.String,
  api_key: Schema.Redacted(Schema.NonEmptyString),
  /** The project that is meant where none is named: an id or a name. */
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
  // A relative path is to be ignored, says the XDG Base Directory Specification.
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

/** The profile, if somebody has logged in. A file that others can read is refused: what it holds is no secret. */
export const readProfile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* profilePath
  const text = yield* fs.readFileString(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeedNone,
    ),
    Effect.mapError((error) => failure(`The profile cannot be read: ${error.message}`)),
  )
  if (Option.isNone(text)) return Option.none<Profile>()
  const { mode } = yield* Effect.mapError(fs.stat(path), (error) => failure(error.message))
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return yield* failure(
      `${path} holds an API key and can be read by others. Take their rights away (chmod 600) or log in again.`,
    )
  }
  return yield* decode(text.value).pipe(
    Effect.asSome,
    Effect.mapError(() => failure(`${path} is not a profile. Log in again: errata login`)),
  )
})

/** Replaces the profile as a whole; at no moment anybody else can read it. */
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
      Effect.zipRight(fs.rename(temporary, path)),
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
    )
    return path
  }).pipe(
    Effect.catchTag("ParseError", Effect.die),
    // Neither the path's content nor the key is in what the file system says.
    Effect.mapError(
      (error) => new CommandFailed({ message: `The profile cannot be stored: ${error.message}` }),
    ),
  )

/** Forgets the profile; answers whether there was one. */
export const removeProfile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* profilePath
  const exists = yield* fs.exists(path)
  yield* fs.remove(path, { force: true })
  return exists
}).pipe(
  Effect.mapError(
    (error) => new CommandFailed({ message: `The profile cannot be removed: ${error.message}` }),
  ),
)

// internal

/**
 * Makes a folder and those above it. Not left to Node: it tries for ever where a folder cannot be made though the one
 * above it is there, as in /proc.
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
  Effect.orElseSucceed(Config.option(Config.nonEmptyString(name)), Option.none<string>)

const folder = Effect.gen(function* () {
  return profileFolder({
    platform: process.platform,
    home: homedir(),
    configHome: yield* setting("XDG_CONFIG_HOME"),
    appData: yield* setting("APPDATA"),
  })
})

const profilePath = Effect.map(folder, (path) => join(path, "profile.json"))

const Document = Schema.parseJson(Profile, { space: 2 })
const decode = Schema.decode(Document)
const encode = Schema.encode(Document)

const failure = (message: string) => new CommandFailed({ message, exitCode: exitCodes.denied })
