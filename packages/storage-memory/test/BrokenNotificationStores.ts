/** Broken stores of targets, alert rules, their states and mail settings, for `BrokenStores`. */
import { type AlertRuleId, membersKind, type ProjectId, type TargetId } from "@errata/core"
import {
  ActivityStore,
  AlertStore,
  DeliveryStore,
  GroupStore,
  MemberMailStore,
  NoteStore,
  TargetStore,
} from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

const early = DateTime.makeUnsafe(0)

export const brokenNotificationStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "targets that are found by their id alone",
    break: patch(TargetStore, ({ find, insert, remove, update }) => {
      const owners = new Map<TargetId, ProjectId>()
      return {
        insert: (target, limit, now) =>
          Effect.tap(insert(target, limit, now), (added) => {
            if (Option.isSome(added)) owners.set(added.value.id, target.projectId)
            return Effect.void
          }),
        find: (projectId, id) => find(owners.get(id) ?? projectId, id),
        update: (projectId, id, changes, now) => update(owners.get(id) ?? projectId, id, changes, now),
        remove: (projectId, id) => remove(owners.get(id) ?? projectId, id),
      }
    }),
    fails: {
      TargetStore: ["finds, changes and removes a target or a webhook by its project only"],
    },
  },
  {
    fault: "a limit of targets that is not kept",
    break: patch(TargetStore, ({ insert }) => ({ insert: (target, _, now) => insert(target, 1_000, now) })),
    fails: { TargetStore: ["adds no more targets to a project than the limit, however many try at once"] },
  },
  {
    fault: "a target of the members for each who asks",
    break: patch(TargetStore, ({ insert }) => ({
      membersOf: (projectId, now) =>
        Effect.map(
          insert(
            {
              projectId,
              kind: membersKind,
              name: "",
              enabled: true,
              address: {},
              secret: null,
              quietHours: null,
              createdBy: null,
            },
            1_000,
            now,
          ),
          (target) => Option.getOrThrow(target).id,
        ),
    })),
    fails: { TargetStore: ["creates one target for a project's members under concurrent calls"] },
  },
  {
    fault: "failures that begin anew with every message",
    break: patch(TargetStore, ({ setFailing }) => ({
      setFailing: (targets, now) =>
        Effect.andThen(
          setFailing(
            targets.map((target) => ({ ...target, failing: false })),
            now,
          ),
          setFailing(targets, now),
        ),
    })),
    fails: { TargetStore: ["keeps since when messages fail, until one arrives or the target is enabled"] },
  },
  {
    fault: "targets that are disabled whenever they fail",
    break: patch(TargetStore, ({ disableFailing }) => ({
      disableFailing: (_, reason, limit, now) =>
        disableFailing(DateTime.add(now, { days: 10_000 }), reason, limit * 2, now),
    })),
    fails: {
      TargetStore: [
        "disables enabled targets that have failed since before a time, and says why",
        "disables up to so many targets at a time, each for one caller",
      ],
    },
  },
  {
    fault: "secrets that are replaced whatever they are",
    break: patch(TargetStore, ({ replaceSecret }) => ({
      replaceSecret: (stored, secret) => Effect.as(replaceSecret(stored, secret), true),
    })),
    fails: {
      TargetStore: ["finds secrets by the key that sealed them, and replaces one that is still there"],
    },
  },
  {
    fault: "digests that every node sends",
    break: patch(MemberMailStore, ({ advanceDigest }) => ({
      advanceDigest: (digest, until) => Effect.as(advanceDigest(digest, until), true),
    })),
    fails: { MemberMailStore: ["advances a digest for one of several concurrent callers"] },
  },
  {
    fault: "pages of digests that begin at the beginning",
    break: patch(MemberMailStore, ({ digests }) => ({
      digests: (after, limit) => digests({ projectId: after.projectId, userId: 0 }, limit),
    })),
    fails: { MemberMailStore: ["lists the digests of people with access to live projects, page by page"] },
  },
  {
    fault: "lists of members without those who have settings",
    break: patch(MemberMailStore, ({ find, members }) => ({
      members: (projectIds) =>
        Effect.flatMap(members(projectIds), (found) =>
          Effect.filter(found, ({ projectId, userId }) => Effect.map(find(projectId, userId), Option.isNone)),
        ),
    })),
    fails: {
      MemberMailStore: [
        "returns active members with their settings, and admins who have settings",
        "returns the admins if a project has no active member",
      ],
    },
  },
  {
    fault: "addresses whose pause is replaced",
    break: patch(MemberMailStore, ({ pause, resume }) => ({
      pause: (paused) => Effect.andThen(resume(paused.address), pause(paused)),
    })),
    fails: { MemberMailStore: ["pauses an address until it is resumed, and keeps the first reason"] },
  },
  {
    fault: "default rules that apply to every project",
    break: patch(AlertStore, ({ inForce, list }) => ({
      inForce: (projectIds) =>
        Effect.flatMap(list(null), (standard) =>
          Effect.map(inForce(projectIds), (found) =>
            found.map((project) => ({ ...project, rules: [...standard, ...project.rules] })),
          ),
        ),
    })),
    fails: {
      "AlertStore rules": [
        "applies the default rules to projects without a rule of their own, enabled or not",
      ],
    },
  },
  {
    fault: "rules that are found by their id alone",
    break: patch(AlertStore, ({ insert, remove, update }) => {
      const owners = new Map<AlertRuleId, Parameters<typeof insert>[0]>()
      const ownerOf = (id: AlertRuleId) => owners.get(id) ?? null
      return {
        insert: (projectId, content, now) =>
          Effect.tap(insert(projectId, content, now), (rule) => {
            if (Option.isSome(rule)) owners.set(rule.value.id, projectId)
            return Effect.void
          }),
        update: (_, id, content, now) => update(ownerOf(id), id, content, now),
        remove: (_, id) => remove(ownerOf(id), id),
      }
    }),
    fails: { "AlertStore rules": ["finds, changes and removes a rule by its project only"] },
  },
  {
    fault: "projects that are measured whether they have reports or not",
    break: patch(AlertStore, ({ toMeasure }) => ({
      toMeasure: (after, _, limit) => toMeasure(after, early, limit),
    })),
    fails: {
      "AlertStore rules": [
        "returns the projects to measure: those with a measured rule, and with reports or a firing state",
      ],
    },
  },
  {
    fault: "event rules that are always there",
    break: patch(AlertStore, () => ({ hasEventRules: Effect.succeed(true) })),
    fails: {
      "AlertStore rules": ["returns whether an enabled rule is triggered by an event of a group"],
    },
  },
  {
    fault: "a limit of notifications for each who counts",
    break: patch(AlertStore, ({ countNotifications: count }) => ({
      countNotifications: (window, notifications, limit) =>
        Effect.as(count(window, notifications, limit), Math.min(notifications, limit)),
    })),
    fails: {
      "AlertStore states": [
        "grants notifications up to the limit of a window, and counts the others as held back",
        "grants no more than the limit under concurrent calls",
      ],
    },
  },
  {
    fault: "windows that are taken before they end",
    break: patch(AlertStore, ({ takeEndedWindows: takeEnded }) => ({
      takeEndedWindows: (now, limit) => takeEnded(DateTime.add(now, { milliseconds: 1 }), limit),
    })),
    fails: {
      "AlertStore states": [
        "deletes windows that have ended, and returns those that held notifications back",
      ],
    },
  },
  {
    fault: "states that are forgotten while they fire",
    break: patch(AlertStore, ({ forgetStates: forget, putStates: put }) => ({
      putStates: (states) => put(states.map((state) => ({ ...state, firing: false }))),
      forgetStates: forget,
    })),
    fails: {
      "AlertStore states": [
        "stores states by rule and group, and omits places without a state",
        "returns the firing states of a project",
        "deletes old and empty states that do not fire, up to a limit",
      ],
    },
  },
  {
    fault: "notifications that are sent although they are held back",
    break: patch(DeliveryStore, ({ insert }) => ({
      insert: (deliveries, now) =>
        insert(
          deliveries.map((delivery) => ({ ...delivery, heldBack: null })),
          now,
        ),
    })),
    fails: {
      "DeliveryStore: notifications": [
        "keeps throttled notifications in the history, and never sends them",
        "deletes old throttled notifications like sent ones",
        "summarizes throttled notifications of a period by receiver, with the newest messages",
      ],
    },
  },
  ...(["targetId", "ruleId", "groupId", "status"] as const).map(
    (condition): BrokenStore => ({
      fault: `a list of notifications that ignores ${condition}`,
      break: patch(DeliveryStore, ({ notifications }) => ({
        notifications: (projectId, filter, page) =>
          notifications(projectId, { ...filter, [condition]: null }, page),
      })),
      fails: {
        "DeliveryStore: notifications": [
          "filters the list by target, rule, group and status, with full pages",
        ],
      },
    }),
  ),
  {
    fault: "held back notifications of all targets as those of one",
    break: patch(DeliveryStore, ({ heldBack }) => ({
      heldBack: (projectId, targetId, throttle, since, until) =>
        Effect.map(heldBack(projectId, null, throttle, since, until), (found) =>
          found.map((one) => ({ ...one, targetId: targetId ?? (one.targetId satisfies TargetId) })),
        ),
    })),
    fails: {
      "DeliveryStore: notifications": [
        "summarizes throttled notifications of a period by receiver, with the newest messages",
      ],
    },
  },
  {
    fault: "busiest groups with few reports",
    break: patch(ActivityStore, ({ busiest }) => ({
      busiest: (projectId, range, _, limit) => busiest(projectId, range, 0, limit),
    })),
    fails: {
      ActivityStore: ["lists groups with a minimum of reports in a range, the busiest first"],
    },
  },
  {
    fault: "recent notes of all times",
    break: patch(NoteStore, ({ recent }) => ({
      recent: (projectId, _, limit) => recent(projectId, early, limit),
    })),
    fails: {
      NoteStore: ["lists recent notes of a project, newest first, on merged groups' targets"],
    },
  },
  ...(
    [
      ["ids", "restricts a list to given groups, in every order, with all other conditions"],
      ["createdFrom", "restricts a list to groups that were created or resolved since a time"],
      ["resolvedFrom", "restricts a list to groups that were created or resolved since a time"],
    ] as const
  ).map(
    ([condition, broken]): BrokenStore => ({
      fault: `a filter that ignores ${condition}`,
      break: patch(GroupStore, ({ list }) => ({
        list: (projectId, { [condition]: _, ...filter }, page, now) => list(projectId, filter, page, now),
      })),
      fails: { "GroupStore.list": [broken] },
    }),
  ),
]
