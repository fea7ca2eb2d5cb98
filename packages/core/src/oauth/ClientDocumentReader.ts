/** Reads the documents of clients over the guarded client, and keeps them for a while. */
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

/** Reads the documents of OAuth clients from the web. */
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
        // One more than may be, to tell what is longer.
        maxBodyBytes: maxBytes + 1,
      }).pipe(
        Effect.mapError(({ reason }) => unreadable(reason)),
        Effect.flatMap(readAnswer),
      )

    // One reader for all who ask for the same at once. What could not be read is read again: it may be mended meanwhile.
    const cache = yield* Cache.makeWith((asked: Asked) => admitted(asked, fetch(asked.url)), {
      capacity: maxKept,
      timeToLive: Exit.match({ onFailure: () => Duration.zero, onSuccess: ({ keptFor }) => keptFor }),
    })
    // Or refusals would take the places of documents.
    const kept = (asked: Asked) =>
      Effect.tapError(Cache.get(cache, asked), () => Cache.invalidate(cache, asked))
    return Option.some({
      read: (url: string, address: string) =>
        isDocumentAddress(url)
          ? // Who waits with others and goes away does not take the answer from them.
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
/** Of one network address, and of one host. */
const perAddress = { readers: 4, readsPerMinute: 20 }
const perHost = { readers: 4, readsPerMinute: 60 }
/** Addresses and hosts whose reads are counted: those that were used last. */
const maxBudgets = 2_000
const [leastSeconds, usualSeconds, mostSeconds] = [60, 600, 3600]

const unreadable = (reason: string) => new ClientDocumentUnreadable({ reason })

/** A request for a document. Two requests for one document are equal, from any address. */
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
 * People name the addresses, and so could have this server request documents of many hosts. A read beyond the bounds is
 * refused at once: a queue would hold up the reads of other people. An address or a host uses up its own budget only.
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

/** Redirects are answers like all others that are not 200: who moves a document gives it another name. */
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

/** What nobody looks at is not kept. */
const usedOf = (document: ClientDocument): ClientDocument => {
  const { client_id, client_name, grant_types, redirect_uris, response_types } = document
  return { client_id, client_name, grant_types, redirect_uris, response_types }
}

/** As long as it says itself, within bounds: strangers must not decide how often it is read. */
const lifetimeOf = (cacheControl: string): Duration.Duration => {
  const said = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1]
  const seconds = /\bno-(?:store|cache)\b/i.test(cacheControl) ? 0 : Number(said ?? usualSeconds)
  return Duration.seconds(Math.min(Math.max(seconds, leastSeconds), mostSeconds))
}
