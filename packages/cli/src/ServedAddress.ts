/** Stores the server's address in its data folder, for commands that print links to it. */
import { join } from "node:path"
import { Effect, FileSystem, Option } from "effect"

/** Writes the address to the folder. A failure is only logged: links then have the configured address. */
export const write = (dataDir: string, url: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(fileIn(dataDir), `${url}\n`)).pipe(
    Effect.catch((error) =>
      Effect.logWarning("Writing the server's address to the data folder failed", error),
    ),
  )

/** Reads the address of the last server that used this folder. */
export const read = (dataDir: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(fileIn(dataDir))).pipe(
    Effect.map((text) => text.trim()),
    Effect.option,
    Effect.map(Option.filter((text) => URL.canParse(text))),
  )

// internal

const fileIn = (dataDir: string): string => join(dataDir, "server-address")
