/** `errata dead-letters`: accepted payloads that could not be recorded. */
import type { DeadLetterView } from "@errata/api"
import { AccessPolicy, DeadLetterNotFound, DeadLetters } from "@errata/core"
import { Duration, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { asSystem } from "./AsSystem.js"
import { connectionOptions, idArgument, type PageChoice, pageOptions } from "./api/ApiOptions.js"
import { confirm, yesOption } from "./api/Confirmation.js"
import { type ListColumn, list as listing } from "./api/Listing.js"
import { relative } from "./api/Moments.js"
import { note } from "./api/Output.js"
import { connected, show } from "./api/Session.js"
import { eitherWay, overApiOr } from "./EitherWay.js"
import { CommandFailed, usageError } from "./ErrorOutput.js"
import { megabytes } from "./Size.js"
import { directStorageOptions, type StorageFlags } from "./StorageOptions.js"
import { toggle } from "./Toggle.js"

const list = Command.make(
  "list",
  { ...pageOptions, ...connectionOptions, ...directStorageOptions },
  (choice) =>
    overApiOr(
      choice,
      connected(choice, ({ client }) =>
        listing({
          choice,
          columns,
          empty,
          page: (query) => client.deadLetters.list(query),
          items: (page) => page.dead_letters,
          stream: (query) => client.deadLetters.stream(query),
        }),
      ),
      (storage) => listOnStorage(storage, choice),
    ),
).pipe(Command.withDescription(`List the dead letters, newest first. ${eitherWay}`))

const retry = Command.make(
  "retry",
  {
    ...connectionOptions,
    ...directStorageOptions,
    id: idArgument("id", "Id of the dead letter, as listed").pipe(Argument.optional),
    all: toggle("all", "Retry every dead letter once"),
  },
  (choice) => {
    const { all, id } = choice
    if (all === Option.isSome(id)) return usageError("Give the id of a dead letter, or --all.")
    return overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          if (Option.isNone(id)) {
            return yield* show(choice, yield* client.deadLetters.retryAll(), (answer) => [
              retried(answer.retried),
            ])
          }
          yield* client.deadLetters.retry(id.value)
          yield* note(retriedOne(id.value))
        }),
      ),
      (storage) => retryOnStorage(storage, choice, id),
    )
  },
).pipe(Command.withDescription(`Move one dead letter or all of them back into the queue. ${eitherWay}`))

const discard = Command.make(
  "discard",
  {
    ...connectionOptions,
    ...directStorageOptions,
    ...yesOption,
    id: idArgument("id", "Id of the dead letter, as listed"),
  },
  (choice) => {
    const confirmed = confirm(choice, `Delete dead letter ${choice.id} without recording it?`)
    return overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          yield* confirmed
          yield* client.deadLetters.discard(choice.id)
          yield* note(discarded(choice.id))
        }),
      ),
      (storage) => Effect.andThen(confirmed, discardOnStorage(storage, choice.id)),
    )
  },
).pipe(Command.withDescription(`Delete a dead letter without recording it. ${eitherWay}`))

export const deadLetters = Command.make("dead-letters").pipe(
  Command.withDescription(
    "Inspect, retry and discard dead letters: accepted payloads that could not be recorded",
  ),
  Command.withSubcommands([list, retry, discard]),
)

// internal

const columns: ReadonlyArray<ListColumn<DeadLetterView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "PROJECT", align: "right", of: ({ project_id: id }) => String(id) },
  { title: "EVENT", omit: 1, of: ({ event_id: id }) => id },
  { title: "RECEIVED", of: ({ received_at: received }, now) => relative(received, now) },
  { title: "BYTES", align: "right", omit: 2, of: ({ bytes }) => String(bytes) },
  { title: "REASON", flexible: true, main: true, of: ({ reason }) => reason },
]

const listOnStorage = (storage: StorageFlags, choice: PageChoice & { readonly json: boolean }) =>
  withDeadLetters(storage, (letters, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("ingest.inspect")
      const { listStored, deadLetterView } = yield* Effect.promise(() => import("./StorageListing.js"))
      yield* listStored({
        choice,
        key: "dead_letters",
        columns,
        empty,
        read: (page) => letters.list(allowed, page),
        view: deadLetterView,
      })
      if (choice.json) return
      const total = yield* letters.summary(allowed)
      if (total.payloads > 0) yield* note(summary(total))
    }),
  )

const retryOnStorage = (
  storage: StorageFlags,
  choice: { readonly json: boolean },
  id: Option.Option<number>,
) =>
  withDeadLetters(storage, (letters, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("ingest.retry")
      if (Option.isNone(id)) {
        const count = yield* letters.retryAll(allowed)
        return yield* show(choice, { retried: count }, () => [retried(count)])
      }
      yield* letters.retry(allowed, id.value)
      yield* note(retriedOne(id.value))
    }),
  )

const discardOnStorage = (storage: StorageFlags, id: number) =>
  withDeadLetters(storage, (letters, access) =>
    Effect.gen(function* () {
      yield* letters.discard(yield* access.instance("ingest.discard"), id)
      yield* note(discarded(id))
    }),
  )

const discarded = (id: number): string => `Dead letter ${id} was deleted.`

const empty = "There are no dead letters."

const retriedOne = (id: number): string => `Dead letter ${id} was queued again.`

const summary = ({
  bounds,
  bytes,
  payloads,
}: Effect.Success<ReturnType<DeadLetters["Service"]["summary"]>>): string =>
  `${counted(payloads)}, ${megabytes(bytes)} in total. Kept for ${Duration.toDays(bounds.maxAge)} days, ` +
  `up to ${bounds.payloads} dead letters and ${megabytes(bounds.bytes)} per project.`

const retried = (count: number): string =>
  count === 0 ? empty : `${counted(count)} ${count === 1 ? "was" : "were"} queued again.`

const counted = (count: number): string => `${count} ${count === 1 ? "dead letter" : "dead letters"}`

const withDeadLetters = <A, E, R>(
  storage: StorageFlags,
  use: (
    letters: DeadLetters["Service"],
    access: AccessPolicy.AccessPolicy["Service"],
  ) => Effect.Effect<A, E, R>,
) =>
  Effect.all([DeadLetters, AccessPolicy.AccessPolicy]).pipe(
    Effect.flatMap(([letters, access]) => use(letters, access)),
    Effect.catchIf(
      (error) => error instanceof DeadLetterNotFound,
      () => new CommandFailed({ message: "No dead letter has this id." }),
    ),
    asSystem(storage),
  )
