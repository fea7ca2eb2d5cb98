/** Sends with a target and records its request. */
import type { Notification } from "@errata/core"
import {
  type NotificationTarget,
  OutboundClient,
  type OutboundRequest,
  type TargetAddress,
} from "@errata/core/ports"
import { Duration, Effect } from "effect"

/** The request that a target makes for a notification. */
export const requestOf = (
  target: NotificationTarget,
  notification: Notification,
  address: TargetAddress,
): Promise<OutboundRequest> =>
  Effect.gen(function* () {
    const requests: Array<OutboundRequest> = []
    yield* target.send(notification, address, { timeout: Duration.seconds(10), unsubscribeUrl: null }).pipe(
      Effect.provideService(
        OutboundClient,
        OutboundClient.of({
          send: (request) =>
            Effect.sync(() => {
              requests.push(request)
              return { status: 200, headers: {}, body: new Uint8Array() }
            }),
          download: () => Effect.die("not used"),
        }),
      ),
    )
    return requests[0]!
  }).pipe(Effect.runPromise)

/** The parsed body of the request. */
export const bodyOf = async (
  target: NotificationTarget,
  notification: Notification,
  address: TargetAddress,
): Promise<unknown> => JSON.parse((await requestOf(target, notification, address)).body ?? "null")
