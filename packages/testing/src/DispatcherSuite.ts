/** Dispatching webhooks with several nodes on one storage, some of which stop, are killed or are too slow. */
import {
  defaultSettings,
  ErrataConfig,
  type ErrataSettings,
  GroupId,
  type Services,
  type Target,
} from "@errata/core"
import { Dispatcher, GroupEventDocument, TargetSecret } from "@errata/core/internal"
import {
  GroupEventStore,
  GroupLifecycle,
  Keyring,
  OutboundClient,
  type OutboundRequest,
  webhooksConsumer,
} from "@errata/core/ports"
import { Deferred, Duration, Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { emptyDeliveries, lease } from "./internal/Deliveries.js"
import { emptyOutbox } from "./internal/Outbox.js"
import * as TestDecoder from "./TestDecoder.js"

const keyring = Option.getOrThrow(Keyring.parseKeys("7".repeat(64)))

/** A webhook with a valid secret. */
const newWebhook = Effect.gen(function* () {
  yield* emptyOutbox
  yield* emptyDeliveries
  const { id } = yield* Given.project()
  const secret = yield* TargetSecret.seal(keyring, id, Redacted.make(`whsec_${"A".repeat(43)}=`))
  return yield* Given.webhook(id, { secret, events: ["group.created"] })
})

type Send = (request: OutboundRequest) => Effect.Effect<void>

const start = (
  send: Send,
  webhooks: Partial<ErrataSettings["webhooks"]> = {},
): Effect.Effect<void, never, Services.Stores | Scope.Scope> =>
  Layer.build(
    Dispatcher.layer.pipe(
      Layer.provide(TestDecoder.layer),
      Layer.provide(
        Layer.succeed(OutboundClient, {
          download: () => Effect.die(new Error("Webhooks download nothing")),
          send: (request) => Effect.as(send(request), { status: 204, headers: {}, body: new Uint8Array() }),
        }),
      ),
    ),
  ).pipe(
    Effect.provideService(Keyring.Keyring, keyring),
    Effect.provideService(ErrataConfig, {
      ...defaultSettings,
      webhooks: { ...defaultSettings.webhooks, pollInterval: Duration.millis(10), ...webhooks },
    }),
    Effect.asVoid,
  )

/** Appends group events to the outbox, as `Outbox` does. */
const append = (
  { projectId }: Target,
  documents: ReadonlyArray<readonly [groupId: number, document: string]>,
) =>
  Effect.flatMap(GroupEventStore, (outbox) =>
    outbox.append(
      documents.map(([groupId, document]) => ({
        projectId,
        groupId: GroupId.make(groupId),
        event: "group.created",
        at: Factory.noon,
        document,
      })),
    ),
  )

/** The event document of a new group, recognizable by its error message. */
const created = ({ projectId }: Target, groupId: number, errorMessage: string): string => {
  const from = Factory.newGroup(projectId, { errorMessage })
  const group = GroupLifecycle.create(GroupId.make(groupId), from, null, Factory.noon)
  return GroupEventDocument.encode({ _tag: "Created", group }, Factory.noon)
}

const messageOf = ({ body }: OutboundRequest): string => JSON.parse(body!).group.error_message

export const dispatcherSuite: ContractSuite = {
  name: "Dispatcher",
  cases: [
    contractCase(
      "sends each event once, and those of a group in order, on several nodes",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const perGroup = 5
        const groupIds = [1, 2, 3, 4, 5, 6]
        const events = Array.from({ length: perGroup }, (_, i) =>
          groupIds.map((id) => [id, created(webhook, id, `${id} ${i}`)] as const),
        ).flat()
        yield* append(webhook, events)
        const seen: Array<string> = []
        const done = yield* Deferred.make<void>()
        const send: Send = (request) =>
          Effect.gen(function* () {
            yield* Effect.sleep("1 millis")
            seen.push(messageOf(request))
            if (seen.length === events.length) yield* Deferred.succeed(done, undefined)
          })
        yield* start(send)
        const scope = yield* Effect.scope
        yield* onSecondNode(Scope.provide(start(send), scope))
        yield* Deferred.await(done)
        for (const id of groupIds) {
          const ofGroup = seen.filter((message) => message.startsWith(`${id} `))
          expect(ofGroup).toEqual(Array.from({ length: perGroup }, (_, i) => `${id} ${i}`))
        }
        expect(seen).toHaveLength(events.length)
      }).pipe(Effect.scoped, onRealClock),
    ),

    contractCase(
      "sends the deliveries of a killed node when its leases expire",
      Effect.gen(function* () {
        const outbox = yield* GroupEventStore
        const webhook = yield* newWebhook
        // One delivery is being sent, and one event is being turned into deliveries.
        yield* Given.delivery(webhook, { requestBody: '{"group":{"error_message":"leased"}}' })
        yield* append(webhook, [[1, created(webhook, 1, "from the outbox")]])
        expect(yield* lease({ duration: brief })).toHaveLength(1)
        expect(yield* outbox.lease({ consumer: webhooksConsumer, limit: 10, duration: brief })).toHaveLength(
          1,
        )
        const seen: Array<string> = []
        const done = yield* Deferred.make<void>()
        yield* start((request) => {
          seen.push(messageOf(request))
          return seen.length === 2 ? Effect.asVoid(Deferred.succeed(done, undefined)) : Effect.void
        })
        yield* Deferred.await(done)
        expect(seen.toSorted()).toEqual(["from the outbox", "leased"])
      }).pipe(Effect.scoped, onRealClock),
    ),

    contractCase(
      "releases a delivery in progress when a node stops, without counting the attempt",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const { id } = yield* Given.delivery(webhook)
        const scope = yield* Scope.make()
        const begun = yield* Deferred.make<void>()
        const hang: Send = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        yield* Scope.provide(start(hang, { stopTimeout: Duration.millis(20) }), scope)
        yield* Deferred.await(begun)
        expect(yield* lease()).toEqual([])
        yield* Scope.close(scope, Exit.void)
        const [back] = yield* onSecondNode(lease())
        expect([back?.id, back?.attempts]).toEqual([id, 0])
      }).pipe(onRealClock),
    ),

    contractCase(
      "waits for a delivery in progress when a node stops, and stores its outcome",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        yield* Given.delivery(webhook)
        const scope = yield* Scope.make()
        const begun = yield* Deferred.make<void>()
        const slow: Send = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.sleep("30 millis"))
        yield* Scope.provide(start(slow), scope)
        yield* Deferred.await(begun)
        yield* Scope.close(scope, Exit.void)
        expect(yield* lease({ duration: Duration.zero })).toEqual([])
      }).pipe(onRealClock),
    ),

    contractCase(
      "sends nothing if its lease has expired or is about to",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        const { id } = yield* Given.delivery(webhook)
        const scope = yield* Scope.make()
        let sent = 0
        const send: Send = () => Effect.sync(() => sent++)
        const timing = { attemptTimeout: Duration.millis(100), leaseMargin: Duration.zero }
        yield* Scope.provide(start(send, timing), scope)
        yield* Effect.sleep("50 millis")
        yield* Scope.close(scope, Exit.void)
        expect(sent).toBe(0)
        const [back] = yield* lease()
        expect([back?.id, back?.attempts]).toEqual([id, 0])
      }).pipe(onRealClock),
    ),

    contractCase(
      "continues past unreadable events",
      Effect.gen(function* () {
        const webhook = yield* newWebhook
        yield* append(webhook, [
          [1, '{"version":99}'],
          [1, created(webhook, 1, "readable")],
        ])
        const seen = yield* Deferred.make<string>()
        yield* start((request) => Effect.asVoid(Deferred.succeed(seen, messageOf(request))))
        expect(yield* Deferred.await(seen)).toBe("readable")
      }).pipe(Effect.scoped, onRealClock),
    ),
  ],
}

// internal

/** A lease that is not renewed, because its holder was killed. */
const brief = Duration.millis(300)
