/** `errata payloads`: what was accepted and could not be recorded. */

import { Args, Command } from "@effect/cli"
import { type Page, SetAside, SetAsideNotFound, type SetAsidePayload } from "@errata/core"
import { Console, DateTime, Effect } from "effect"
import { asSystem } from "./AsSystem.js"
import { CommandFailed } from "./ErrorOutput.js"
import { type StorageChoice, storageOptions } from "./StorageOptions.js"
import { table } from "./Table.js"

const list = Command.make("list", storageOptions, (storage) =>
  withSetAside(storage, (setAside) =>
    Effect.gen(function* () {
      const page: Page.Page<SetAsidePayload> = yield* setAside.list({ limit: 100, cursor: null })
      if (page.items.length === 0) return yield* Console.log("No payload is set aside.")
      yield* Console.log(
        table(
          ["ID", "PROJECT", "EVENT", "RECEIVED", "BYTES", "REASON"],
          page.items.map(({ bytes, eventId, id, projectId, reason, receivedAt }) => [
            String(id),
            String(projectId),
            eventId,
            DateTime.formatIso(DateTime.unsafeMake(receivedAt)),
            String(bytes),
            reason,
          ]),
        ),
      )
      if (page.nextCursor !== null) yield* Console.log("There are more; these are the newest.")
    }),
  ),
).pipe(Command.withDescription("List the payloads that could not be recorded, newest first"))

const retry = Command.make(
  "retry",
  {
    ...storageOptions,
    id: Args.integer({ name: "id" }).pipe(Args.withDescription("The payload's id, as listed")),
  },
  ({ id, ...storage }) =>
    withSetAside(storage, (setAside) =>
      Effect.zipRight(setAside.retry(id), Console.log(`Payload ${id} is in the queue again.`)),
    ),
).pipe(Command.withDescription("Put a payload back into the queue"))

export const payloads = Command.make("payloads").pipe(
  Command.withDescription("Inspect accepted payloads that could not be recorded"),
  Command.withSubcommands([list, retry]),
)

// internal

const withSetAside = <A, E, R>(storage: StorageChoice, use: (setAside: SetAside) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SetAside, use).pipe(
    Effect.catchIf(
      (error) => error instanceof SetAsideNotFound,
      () => new CommandFailed({ message: "No payload with this id is set aside." }),
    ),
    asSystem(storage),
  )
