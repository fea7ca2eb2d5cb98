/** Prints lists: one page or all pages, as a table or as JSON. */
import { DateTime, Effect, Ref, Stream } from "effect"
import { type Column, startTable } from "../Table.js"
import { given, type PageChoice } from "./ApiOptions.js"
import { note, Output, print, printJson } from "./Output.js"

export interface ListColumn<A> extends Column {
  readonly of: (item: A, now: DateTime.DateTime) => string
}

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: number
}

interface Page {
  readonly next_cursor: number | null
  readonly has_more: boolean
}

export interface ListRequest<A, P extends Page, E, R> {
  readonly choice: PageChoice & { readonly json: boolean }
  readonly columns: ReadonlyArray<ListColumn<A>>
  /** Printed if the list is empty. */
  readonly empty: string
  readonly page: (query: PageQuery) => Effect.Effect<P, E, R>
  readonly items: (page: P) => ReadonlyArray<A>
  /** Notes of the server on the query. */
  readonly notes?: ((page: P) => ReadonlyArray<string>) | null
  readonly stream: (query: PageQuery) => Stream.Stream<A, E, R>
}

export const list = <A, P extends Page, E, R>(request: ListRequest<A, P, E, R>) =>
  request.choice.all ? listAll(request) : listPage(request)

// internal

/** The default limit is left to the server. */
const queryOf = ({ cursor, limit }: PageChoice): PageQuery => given({ limit, cursor })

const listPage = <A, P extends Page, E, R>({
  choice,
  columns,
  empty,
  items,
  notes,
  page,
}: ListRequest<A, P, E, R>) =>
  Effect.gen(function* () {
    const answer = yield* page(queryOf(choice))
    yield* Effect.forEach(notes?.(answer) ?? [], note)
    if (choice.json) return yield* printJson(answer)
    const found = items(answer)
    if (found.length === 0) return yield* note(empty)
    const rows = yield* rowsOf(columns)
    const { width } = yield* Output
    yield* print(startTable(columns, width)(rows(found)))
    if (answer.has_more) {
      yield* note(`More entries exist. Continue with --cursor ${answer.next_cursor}, or list all with --all.`)
    }
  })

/** Prints page by page, so that the first lines appear before the last page is requested. */
const listAll = <A, P extends Page, E, R>({
  choice,
  columns,
  empty,
  notes,
  page,
  stream,
}: ListRequest<A, P, E, R>) =>
  Effect.gen(function* () {
    // The stream has no notes.
    if (notes) yield* Effect.forEach(notes(yield* page({ limit: 1 })), note)
    const count = yield* Ref.make(0)
    const { width } = yield* Output
    const rows = yield* rowsOf(columns)
    const lines = startTable(columns, width)
    const show = (items: ReadonlyArray<A>) =>
      print(choice.json ? items.map((item) => JSON.stringify(item)) : lines(rows(items)))
    yield* Stream.runForEachArray(stream(queryOf(choice)), (chunk) =>
      Effect.andThen(
        show(chunk),
        Ref.update(count, (sum) => sum + chunk.length),
      ),
    )
    if ((yield* Ref.get(count)) === 0 && !choice.json) yield* note(empty)
  })

const rowsOf = <A>(columns: ReadonlyArray<ListColumn<A>>) =>
  Effect.map(
    DateTime.now,
    (now) => (items: ReadonlyArray<A>) => items.map((item) => columns.map((column) => column.of(item, now))),
  )
