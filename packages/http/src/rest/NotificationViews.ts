/** Notifications of the history with their stored content. */
import { notificationView } from "@errata/api/internal"
import { type Delivery, Notification, type Target, titleOf } from "@errata/core"
import { Effect, Option, Schema } from "effect"

/** `targets` are those of the project; a delivery to another one is for its members. */
export const make = Effect.fnUntraced(function* (
  deliveries: ReadonlyArray<Delivery>,
  targets: ReadonlyArray<Target>,
  isAdmin: boolean,
) {
  const known = new Map(targets.map((target) => [target.id, target]))
  return yield* Effect.forEach(deliveries, (delivery) =>
    Effect.map(contentOf(delivery), (content) =>
      notificationView(delivery, known.get(delivery.targetId), content, isAdmin),
    ),
  )
})

// internal

const decode = Schema.decodeEffect(Schema.fromJsonString(Notification))

const contentOf = ({ requestBody }: Delivery) =>
  Effect.map(Effect.option(decode(requestBody)), (found) =>
    Option.match(found, {
      onNone: () => ({ reason: "", rule: null, title: null }),
      onSome: ({ group, reason, rule }) => ({ reason, rule, title: group && titleOf(group) }),
    }),
  )
