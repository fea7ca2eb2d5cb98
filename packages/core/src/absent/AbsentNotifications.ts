/** Ports of a storage without webhooks, targets, alert rules and listeners. */
import { Effect, Layer } from "effect"
import { AlertStore } from "../alert/AlertStore.js"
import { DeliveryStore } from "../delivery/DeliveryStore.js"
import { GroupEventStore } from "../group/GroupEventStore.js"
import { MemberMailStore } from "../notification/MemberMailStore.js"
import { TargetStore } from "../notification/TargetStore.js"
import { done, empty, emptyPage, no, none, refusedBy, zero } from "./Answers.js"

const refused = refusedBy("notifications")

/** Nothing is subscribed, so events of groups are not kept. */
const events = Layer.succeed(GroupEventStore, {
  append: done,
  subscribe: refused("GroupEventStore.subscribe"),
  unsubscribe: done,
  removeAbandoned: zero,
  lease: empty,
  settle: no,
  release: done,
})

const deliveries = Layer.succeed(DeliveryStore, {
  insert: (deliveries) => Effect.succeed(deliveries.map(() => null)),
  lease: empty,
  settle: done,
  release: done,
  find: none,
  list: emptyPage,
  notifications: emptyPage,
  heldBack: empty,
  removeSome: zero,
  forget: zero,
})

const targets = Layer.succeed(TargetStore, {
  insert: refused("TargetStore.insert"),
  find: none,
  ofProjects: empty,
  listWebhooks: emptyPage,
  listeners: empty,
  update: none,
  remove: no,
  membersOf: refused("TargetStore.membersOf"),
  setFailing: done,
  disableFailing: empty,
  sampleSecrets: Effect.succeed([]),
  secretsOfKey: empty,
  replaceSecret: no,
})

const memberMail = Layer.succeed(MemberMailStore, {
  find: none,
  put: refused("MemberMailStore.put"),
  members: empty,
  digests: empty,
  advanceDigest: no,
  pause: refused("MemberMailStore.pause"),
  pausedAmong: empty,
  paused: empty,
  resume: no,
})

const alerts = Layer.succeed(AlertStore, {
  insert: refused("AlertStore.insert"),
  find: none,
  list: empty,
  update: none,
  remove: no,
  inForce: empty,
  toMeasure: empty,
  hasEventRules: Effect.succeed(false),
  lockStates: empty,
  putStates: done,
  firing: empty,
  forgetStates: zero,
  countNotifications: zero,
  takeEndedWindows: empty,
})

export const layer: Layer.Layer<
  GroupEventStore | DeliveryStore | TargetStore | MemberMailStore | AlertStore
> = Layer.mergeAll(events, deliveries, targets, memberMail, alerts)
