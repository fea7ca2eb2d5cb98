/** Reads client metadata documents through the outbound client and caches them. */
import { Cache, Clock, Duration, Effect, Equal, Exit, Fiber, Hash, Layer, Option } from "effect"
import { subscriberOf } from "../identity/Throttle.js"
import { BoundedCache } from "../internal/BoundedCache.js"
import { type OutboundAnswer, OutboundClient } from "../outbound/OutboundClient.js"
import {
  type ClientDocument,
  ClientDocuments,
  ClientDocumentUnreadable,
  isDocumentAddress,
} from "./ClientDocuments.js"

/** Reads metadata documents of OAuth clients from the web. */
export const layer: Layer.Layer<never, never, OutboundClient> = Layer.effect(
  ClientDocuments,
  Effect.gen(function* () {
    const { send } = yield* OutboundClient
    const scope = yield* Effect.scope
    const admitted = yield* makeAdmission

    const fetch = (url: string): Effect.Effect<Read, ClientDocumentUnreadable> =>
      send({
        method: "GET",
        url,
        headers: { accept: "application/json", "user-agent": "Errata" },
        body: null,
        timeout,
        // One byte more, to detect longer documents.
        maxBodyBytes: maxBytes + 1,
      }).pipe(
        Effect.mapError(({ reason }) => unreadable(reason)),
        Effect.flatMap(readAnswer),
      )

    // Concurrent requests for one document share a fetch. Failures are not cached.
    const cache = yield* Cache.makeWith((asked: Asked) => admitted(asked, fetch(asked.url)), {
      capacity: maxKept,
      timeToLive: Exit.match({ onFailure: () => Duration.zero, onSuccess: ({ keptFor }) => keptFor }),
    })
    // Failures must not evict documents.
    const kept = (asked: Asked) =>
      Effect.tapError(Cache.get(cache, asked), () => Cache.invalidate(cache, asked))
    return Option.some({
      read: (url: string, address: string) =>
        isDocumentAddress(url)
          ? // Forked, so that an interrupted caller does not interrupt the fetch for others.
            Effect.forkIn(Effect.interruptible(kept(new Asked(url, address))), scope).pipe(
              Effect.flatMap(Fiber.join),
              Effect.map(({ document }) => document),
            )
          : unreadable("not the URL of a metadata document"),
    })
  }),
)

// internal

interface Read {
  readonly document: ClientDocument
  readonly keptFor: Duration.Duration
}

/** Documents are about 1 KiB long. */
const maxBytes = 16 * 1024
const timeout = Duration.seconds(5)
const maxKept = 200
const maxReaders = 32
/** Limits per network address and per host. */
const perAddress = { readers: 4, readsPerMinute: 20 }
const perHost = { readers: 4, readsPerMinute: 60 }
/** Number of addresses and hosts with counters. The least recently used are dropped. */
const maxBudgets = 2_000
const [leastSeconds, usualSeconds, mostSeconds] = [60, 600, 3600]

const unreadable = (reason: string) => new ClientDocumentUnreadable({ reason })

/** A request for a document. Requests for the same URL are equal, from any address. */
class Asked implements Equal.Equal {
  constructor(
    readonly url: string,
    readonly address: string,
  ) {}
  [Equal.symbol](that: unknown): boolean {
    return that instanceof Asked && that.url === this.url
  }
  [Hash.symbol](): number {
    return Hash.string(this.url)
  }
}

interface Budget {
  minute: number
  reads: number
  reading: number
}

/**
 * Users choose the URLs, so they could make the server send requests to many hosts. Reads beyond the limits fail at
 * once: a queue would delay other users. An address or a host uses only its own budget.
 */
const makeAdmission = Effect.sync(() => {
  const budgets = new BoundedCache<string, Budget>(maxBudgets)
  let reading = 0
  const budgetOf = (key: string, minute: number): Budget => {
    const budget = budgets.get(key) ?? { minute, reads: 0, reading: 0 }
    if (budget.minute !== minute) Object.assign(budget, { minute, reads: 0 })
    budgets.set(key, budget)
    return budget
  }
  return <A, E, R>({ address, url }: Asked, effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const minute = Math.floor(now / 60_000)
        const ofAddress = budgetOf(`address ${subscriberOf(address)}`, minute)
        const ofHost = budgetOf(`host ${new URL(url).host}`, minute)
        const isWithin = ({ reading, reads }: Budget, limits: typeof perHost) =>
          reading < limits.readers && reads < limits.readsPerMinute
        if (reading >= maxReaders || !isWithin(ofAddress, perAddress) || !isWithin(ofHost, perHost)) {
          return unreadable("too many documents are being read")
        }
        reading++
        for (const budget of [ofAddress, ofHost]) {
          budget.reads++
          budget.reading++
        }
        return Effect.succeed([ofAddress, ofHost])
      }),
      () => effect,
      (taken) =>
        Effect.sync(() => {
          reading--
          for (const budget of taken) budget.reading--
        }),
    )
})

/** Redirects fail like every status except 200: the client's id must be the document's URL. */
const readAnswer = ({
  body,
  headers,
  status,
}: OutboundAnswer): Effect.Effect<Read, ClientDocumentUnreadable> => {
  if (status !== 200) return unreadable(`status ${status}`)
  if (!/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i.test(headers["content-type"] ?? "")) {
    return unreadable("not of the type application/json")
  }
  if (body.byteLength > maxBytes) return unreadable(`longer than ${maxBytes} bytes`)
  return Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: () => unreadable("not JSON"),
  }).pipe(
    Effect.flatMap((json) =>
      typeof json === "object" && json !== null && !Array.isArray(json)
        ? Effect.succeed({ document: usedOf(json), keptFor: lifetimeOf(headers["cache-control"] ?? "") })
        : unreadable("not a JSON object"),
    ),
  )
}

/** Keeps only the fields in use. */
const usedOf = (document: ClientDocument): ClientDocument => {
  const { client_id, client_name, grant_types, redirect_uris, response_types } = document
  return { client_id, client_name, grant_types, redirect_uris, response_types }
}

/** The `max-age` of the response, within bounds, so that hosts cannot cause frequent reads. */
const lifetimeOf = (cacheControl: string): Duration.Duration => {
  const said = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1]
  const seconds = /\bno-(?:store|cache)\b/i.test(cacheControl) ? 0 : Number(said ?? usualSeconds)
  return Duration.seconds(Math.min(Math.max(seconds, leastSeconds), mostSeconds))
}
