/** `errata payloads`: the dead-letter queue. */
import type { PayloadView } from "@errata/api"
import { AccessPolicy, SetAside, SetAsideNotFound } from "@errata/core"
import { Duration, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { asSystem } from "./AsSystem.js"
import { connectionOptions, idArgument, type PageChoice, pageOptions } from "./api/ApiOptions.js"
import { type ListColumn, list as listing } from "./api/Listing.js"
import { relative } from "./api/Moments.js"
import { note } from "./api/Output.js"
import { connected, show } from "./api/Session.js"
import { eitherWay, overApiOr } from "./EitherWay.js"
import { CommandFailed } from "./ErrorOutput.js"
import * as Setting from "./Setting.js"
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
          page: (query) => client.payloads.list(query),
          items: (page) => page.payloads,
          stream: (query) => client.payloads.stream(query),
        }),
      ),
      (storage) => listOnStorage(storage, choice),
    ),
).pipe(Command.withDescription(`List the payloads in the dead-letter queue, newest first. ${eitherWay}`))

const retry = Command.make(
  "retry",
  {
    ...connectionOptions,
    ...directStorageOptions,
    id: idArgument("id").pipe(Argument.optional, Argument.withDescription("Id of the payload, as listed")),
    all: toggle("all", "Retry every payload in the dead-letter queue once"),
  },
  (choice) => {
    const { all, id } = choice
    if (all === Option.isSome(id)) return Setting.wrong("Give the id of a payload, or --all.")
    return overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          if (Option.isNone(id)) {
            return yield* show(choice, yield* client.payloads.retryAll(), (answer) => [
              retried(answer.retried),
            ])
          }
          yield* client.payloads.retry(id.value)
          yield* note(retriedOne(id.value))
        }),
      ),
      (storage) => retryOnStorage(storage, choice, id),
    )
  },
).pipe(Command.withDescription(`Move one payload or all payloads back into the queue. ${eitherWay}`))

export const payloads = Command.make("payloads").pipe(
  Command.withDescription("Inspect and retry accepted payloads that could not be recorded"),
  Command.withSubcommands([list, retry]),
)

// internal

const columns: ReadonlyArray<ListColumn<PayloadView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "PROJECT", align: "right", of: ({ project_id: id }) => String(id) },
  { title: "EVENT", omit: 1, of: ({ event_id: id }) => id },
  { title: "RECEIVED", of: ({ received_at: received }, now) => relative(received, now) },
  { title: "BYTES", align: "right", omit: 2, of: ({ bytes }) => String(bytes) },
  { title: "REASON", flexible: true, main: true, of: ({ reason }) => reason },
]

const listOnStorage = (storage: StorageFlags, choice: PageChoice & { readonly json: boolean }) =>
  withSetAside(storage, (setAside, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("ingest.inspect")
      const { listStored, payloadView } = yield* Effect.promise(() => import("./StorageListing.js"))
      yield* listStored({
        choice,
        key: "payloads",
        columns,
        empty,
        read: (page) => setAside.list(allowed, page),
        view: payloadView,
      })
      if (choice.json) return
      const total = yield* setAside.summary(allowed)
      if (total.payloads > 0) yield* note(summary(total))
    }),
  )

const retryOnStorage = (
  storage: StorageFlags,
  choice: { readonly json: boolean },
  id: Option.Option<number>,
) =>
  withSetAside(storage, (setAside, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("ingest.retry")
      if (Option.isNone(id)) {
        const count = yield* setAside.retryAll(allowed)
        return yield* show(choice, { retried: count }, () => [retried(count)])
      }
      yield* setAside.retry(allowed, id.value)
      yield* note(retriedOne(id.value))
    }),
  )

const empty = "The dead-letter queue is empty."

const retriedOne = (id: number): string => `Payload ${id} was queued again.`

const summary = ({
  bounds,
  bytes,
  payloads,
}: Effect.Success<ReturnType<SetAside["Service"]["summary"]>>): string =>
  `${counted(payloads)}, ${megabytes(bytes)} in total. Kept for ${Duration.toDays(bounds.maxAge)} days, ` +
  `up to ${bounds.payloads} payloads and ${megabytes(bounds.bytes)} per project.`

const retried = (count: number): string =>
  count === 0 ? empty : `${counted(count)} ${count === 1 ? "was" : "were"} queued again.`

const counted = (count: number): string => `${count} ${count === 1 ? "payload" : "payloads"}`

const withSetAside = <A, E, R>(
  storage: StorageFlags,
  use: (
    setAside: SetAside["Service"],
    access: AccessPolicy.AccessPolicy["Service"],
  ) => Effect.Effect<A, E, R>,
) =>
  Effect.all([SetAside, AccessPolicy.AccessPolicy]).pipe(
    Effect.flatMap(([setAside, access]) => use(setAside, access)),
    Effect.catchIf(
      (error) => error instanceof SetAsideNotFound,
      () => new CommandFailed({ message: "The dead-letter queue has no payload with this id." }),
    ),
    asSystem(storage),
  )
