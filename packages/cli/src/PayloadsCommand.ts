/** `errata payloads`: what was accepted and could not be recorded. */

import { Args, Command, Options } from "@effect/cli"
import { AccessPolicy, type Page, SetAside, SetAsideNotFound, type SetAsidePayload } from "@errata/core"
import { Console, DateTime, Duration, Effect, Option } from "effect"
import { asSystem } from "./AsSystem.js"
import { idArgument } from "./api/ApiOptions.js"
import { CommandFailed } from "./ErrorOutput.js"
import * as Setting from "./Setting.js"
import { megabytes } from "./Size.js"
import { type StorageFlags, storageOptions } from "./StorageOptions.js"
import { table } from "./Table.js"

const list = Command.make("list", storageOptions, (storage) =>
  withSetAside(storage, (setAside, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("ingest.inspect")
      const page: Page.Page<SetAsidePayload> = yield* setAside.list(allowed, { limit: 100, cursor: null })
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
      yield* Console.log(summary(yield* setAside.summary(allowed)))
    }),
  ),
).pipe(Command.withDescription("List the payloads that could not be recorded, newest first"))

const retry = Command.make(
  "retry",
  {
    ...storageOptions,
    id: idArgument("id").pipe(Args.optional, Args.withDescription("The payload's id, as listed")),
    all: Options.boolean("all").pipe(Options.withDescription("All that are set aside now, each once")),
  },
  ({ all, id, ...storage }) => {
    if (all === Option.isSome(id)) return Setting.wrong("Give the id of a payload, or --all.")
    return withSetAside(storage, (setAside, access) =>
      Effect.flatMap(access.instance("ingest.retry"), (allowed) =>
        Option.match(id, {
          onNone: () => Effect.flatMap(setAside.retryAll(allowed), (count) => Console.log(retried(count))),
          onSome: (one) =>
            Effect.zipRight(
              setAside.retry(allowed, one),
              Console.log(`Payload ${one} is in the queue again.`),
            ),
        }),
      ),
    )
  },
).pipe(Command.withDescription("Put a payload back into the queue, or all of them"))

export const payloads = Command.make("payloads").pipe(
  Command.withDescription("Inspect accepted payloads that could not be recorded"),
  Command.withSubcommands([list, retry]),
)

// internal

const summary = ({
  bounds,
  bytes,
  payloads,
}: Effect.Effect.Success<ReturnType<SetAside["summary"]>>): string =>
  `${payloads} in all, ${megabytes(bytes)}. Kept for ${Duration.toDays(bounds.maxAge)} days, ` +
  `of a project up to ${bounds.payloads} and ${megabytes(bounds.bytes)}.`

const retried = (count: number): string =>
  count === 0
    ? "No payload is set aside."
    : count === 1
      ? "1 payload is in the queue again."
      : `${count} payloads are in the queue again.`

const withSetAside = <A, E, R>(
  storage: StorageFlags,
  use: (setAside: SetAside, access: AccessPolicy.AccessPolicy["Type"]) => Effect.Effect<A, E, R>,
) =>
  Effect.all([SetAside, AccessPolicy.AccessPolicy]).pipe(
    Effect.flatMap(([setAside, access]) => use(setAside, access)),
    Effect.catchIf(
      (error) => error instanceof SetAsideNotFound,
      () => new CommandFailed({ message: "No payload with this id is set aside." }),
    ),
    asSystem(storage),
  )
