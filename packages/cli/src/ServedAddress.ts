/** The address of the server that keeps its data in a folder, for commands that print links to it. */
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"

/** Keeps the address in the folder. A failure is logged only: links then have the configured address. */
export const write = (dataDir: string, url: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(fileIn(dataDir), `${url}\n`)).pipe(
    Effect.catchAll((error) => Effect.logWarning("The server's address could not be written", error)),
  )

/** The address of the last server in this folder, if it wrote one. */
export const read = (dataDir: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(fileIn(dataDir))).pipe(
    Effect.map((text) => text.trim()),
    Effect.option,
    Effect.map(Option.filter((text) => URL.canParse(text))),
  )

// internal

const fileIn = (dataDir: string): string => join(dataDir, "server-address")
