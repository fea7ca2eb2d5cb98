/** Broken stores of apps, webhooks, deliveries, policies and statistics, for `BrokenStores`. */
import type { ProjectId } from "@errata/core"
import {
  AppStore,
  DeliveryStore,
  GroupStore,
  type HostedOutcome,
  type IngestStatistic,
  IngestStatistics,
  PolicyStore,
  RateLimitStore,
  SourcemapReportStore,
  SourcemapStore,
} from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenResourceStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "frames that anybody may settle, with or without a lease",
    break: patch(SourcemapReportStore, ({ settle }) => ({
      settle: (report, settled, now) => Effect.as(settle(report, settled, now), true),
    })),
    fails: {
      SourcemapReportStore: ["leases a report again after expiry, and ignores the first lease"],
    },
  },
  {
    fault: "reports that no upload queues again",
    break: patch(SourcemapReportStore, () => ({ requeue: () => Effect.succeed(0) })),
    fails: {
      SourcemapReportStore: [
        "queues again what an upload may help, behind all else and the newest first",
        "queues again a bounded number of reports of the last days",
      ],
      Mapping: ["maps what came before its map, and what comes later joins it"],
    },
  },
  {
    fault: "reports of one project that take the place of all others",
    break: patch(SourcemapReportStore, ({ lease }) => ({
      lease: (request) => lease({ ...request, perProject: request.limit }),
    })),
    fails: {
      SourcemapReportStore: [
        "leases a few of each project at a time, on all nodes together, and none of deleted ones",
      ],
    },
  },
  {
    fault: "keys of groups that are taken from who has them",
    break: patch(GroupStore, () => ({
      addKey: ({ groupId }) => Effect.succeed({ groupId, isNewTwin: false }),
    })),
    fails: {
      SourcemapReportStore: [
        "has a key lead to the group of a report, once it is known",
        "keeps a key with its group, and reports a twin once",
      ],
      Mapping: [
        "maps what came before its map, and what comes later joins it",
        "leaves two groups of one error as they are, and notes it on both once",
      ],
    },
  },
  {
    fault: "hosted maps that everybody looks for",
    break: patch(SourcemapStore, ({ claimMap: claim }) => ({
      claimMap: (script, lease) =>
        Effect.map(claim(script, lease), (claimed) => Option.orElseSome(claimed, () => 0)),
    })),
    fails: {
      SourcemapStore: [
        "grants one claim at a time, and none while a result is cached",
        "lets another look when a claim has run out, and takes nothing from who comes too late",
        "expires results after their time, and grants claims again",
      ],
      HostedMaps: ["are fetched by one of all nodes that want them"],
    },
  },
  {
    fault: "hosted maps that outlive their origins",
    break: patch(SourcemapStore, ({ settleMap }) => ({
      settleMap: (script, claim, found) => settleMap(script, claim, { ...found, origins: [] }),
    })),
    fails: {
      SourcemapStore: [
        "keeps nothing by way of an origin that the project has no longer",
        "removes what came by way of an origin when that is removed, and nothing else",
        "leaves nothing behind of an origin that is removed while a map is settled",
      ],
      HostedMaps: ["go with their origin, and are fetched anew when that comes back"],
    },
  },
  {
    fault: "hosted maps that are kept for ever",
    break: patch(SourcemapStore, ({ settleMap: settle }) => ({
      settleMap: (script, claim, found) => settle(script, claim, { ...found, keep: Duration.days(1000) }),
    })),
    fails: {
      SourcemapStore: [
        "expires results after their time, and grants claims again",
        "removes expired entries in steps, and no others",
      ],
      HostedMaps: ["are fetched again after a day, and missing ones after ten minutes"],
    },
  },
  {
    fault: "hosted maps of all projects together",
    break: patch(SourcemapStore, ({ findMap: find, settleMap: settle }) => {
      const all = new Map<string, HostedOutcome>()
      return {
        findMap: (script) =>
          Effect.map(find(script), (found) =>
            Option.orElse(found, () => Option.fromNullishOr(all.get(script.url))),
          ),
        settleMap: (script, claim, found) => {
          all.set(script.url, found.outcome)
          return settle(script, claim, found)
        },
      }
    }),
    fails: { SourcemapStore: ["stores found maps byte for byte, for one project"] },
  },
  {
    fault: "names of apps that two may have",
    break: patch(AppStore, ({ rename }) => ({
      rename: (id, name, now) => Effect.andThen(rename(id, `${name} of ${id}`, now), Effect.succeed(true)),
    })),
    fails: {
      AppStore: [
        "assigns a name, case-sensitively, to one app only",
        "assigns a name to one app when two nodes insert or rename concurrently",
      ],
    },
  },
  {
    fault: "projects that are taken from other apps",
    break: patch(AppStore, ({ setProjects }) => {
      const owners = new Map<ProjectId, Parameters<typeof setProjects>[0]>()
      return {
        setProjects: (id, projectIds, now) =>
          Effect.gen(function* () {
            for (const projectId of projectIds) {
              const owner = owners.get(projectId)
              if (owner !== undefined && owner !== id) yield* setProjects(owner, [], now)
              owners.set(projectId, id)
            }
            return yield* setProjects(id, projectIds, now)
          }),
      }
    }),
    fails: {
      AppStore: [
        "leaves out projects that an app cannot have, and says why",
        "assigns a project to one of two apps that claim it concurrently",
      ],
    },
  },
  {
    fault: "apps that are listed whosever their projects are",
    break: patch(AppStore, ({ list }) => ({ list: (_, page) => list({ only: null }, page) })),
    fails: {
      AppStore: ["lists apps newest first, page by page, whatever is added meanwhile"],
    },
  },
  {
    fault: "apps that are found without their projects",
    break: patch(AppStore, ({ find }) => ({
      find: (id) =>
        Effect.map(
          find(id),
          Option.map((app) => ({ ...app, projectIds: [] })),
        ),
    })),
    fails: { AppStore: ["replaces the set of an app's projects"] },
  },
  {
    fault: "deliveries to webhooks that are gone",
    break: patch(DeliveryStore, ({ insert }) => ({
      insert: (deliveries, now) =>
        Effect.map(insert(deliveries, now), (ids) => {
          const [id = null] = ids.filter((id) => id !== null)
          return ids.map((given) => given ?? id)
        }),
    })),
    fails: {
      DeliveryStore: [
        "answers ids in the order of the input, ascending, and null for webhooks that are gone",
        "leaves out the deliveries to a webhook that another transaction is removing",
      ],
    },
  },
  {
    fault: "attempts that all succeed",
    break: patch(DeliveryStore, ({ settle }) => ({
      settle: (results) =>
        settle(
          results.map(({ delivery, result }) => ({
            delivery,
            result: { ...result, status: "succeeded", pause: null },
          })),
        ),
    })),
    fails: {
      DeliveryStore: ["narrows a list by event and by success, and fills its pages"],
      "DeliveryStore: leases": ["return retries when they are due, until given up"],
    },
  },
  {
    fault: "outcomes of attempts that a former lease holder stores",
    break: patch(DeliveryStore, ({ lease, settle }) => {
      const current = new Map<number, number>()
      return {
        lease: (request) =>
          Effect.map(lease(request), (leased) => {
            for (const { id, leases } of leased) current.set(id, leases)
            return leased
          }),
        settle: (results) =>
          settle(
            results.map(({ delivery, result }) => ({
              delivery: { ...delivery, leases: current.get(delivery.id) ?? 0 },
              result,
            })),
          ),
      }
    }),
    fails: { "DeliveryStore: leases": ["let their holder alone write what came of an attempt"] },
  },
  {
    fault: "leases of which one webhook has all",
    break: patch(DeliveryStore, ({ lease }) => ({
      lease: (request) => lease({ ...request, perTarget: request.limit, exceptions: [] }),
    })),
    fails: { "DeliveryStore: leases": ["let webhooks take turns, and give none more than it may have"] },
  },
  ...(["event", "success"] as const).map(
    (condition): BrokenStore => ({
      fault: `a list of deliveries that ignores ${condition}`,
      break: patch(DeliveryStore, ({ list }) => ({
        list: (projectId, targetId, filter, page) =>
          list(projectId, targetId, { ...filter, [condition]: null }, page),
      })),
      fails: { DeliveryStore: ["narrows a list by event and by success, and fills its pages"] },
    }),
  ),
  {
    fault: "a removal of deliveries that knows no limit",
    break: patch(DeliveryStore, ({ removeSome }) => ({
      removeSome: (projectId, targetId, limit) => removeSome(projectId, targetId, limit * 2),
    })),
    fails: { DeliveryStore: ["removes some of a webhook's deliveries at a time"] },
  },
  {
    fault: "policies that are forgotten when they are locked",
    break: patch(PolicyStore, () => ({ lock: () => Effect.succeed({}) })),
    fails: {
      PolicyStore: ["locks a policy against concurrent changes, even without a stored value"],
      Policies: [
        "change only the given fields, on every node",
        "lose no change when two nodes make one at once",
      ],
    },
  },
  {
    fault: "policies that merge new settings into old ones",
    break: patch(PolicyStore, ({ find, save }) => ({
      save: (name, settings, now) =>
        Effect.flatMap(find(name), (before) => save(name, { ...before, ...settings }, now)),
    })),
    fails: { PolicyStore: ["replaces the stored value of one policy only"] },
  },
  {
    fault: "a budget that always grants the requested slice",
    break: patch(RateLimitStore, ({ draw }) => ({
      draw: (request) =>
        Effect.map(draw(request), (grant) => ({
          ...grant,
          granted: Math.max(grant.granted, request.needed),
        })),
    })),
    fails: {
      "RateLimitStore.draw": [
        "grants requested slices until none is left, and returns the remaining time",
        "takes back what a node has not used, in that minute alone",
        "grants nothing where a lower limit is reached already, and the rest of a higher one",
        "grants no more than the limit in all, however many nodes draw at once",
      ],
    },
  },
  {
    fault: "statistics that remember for ever",
    break: patch(IngestStatistics, ({ add, recent }) => {
      const kept: Array<Parameters<typeof add>> = []
      return {
        add: (...counted) => {
          kept.push(counted)
          return add(...counted)
        },
        recent: (since) =>
          Effect.map(recent(since), (sums) => {
            const of = (kind: IngestStatistic) =>
              kept.reduce(
                (sum, [counts, at]) =>
                  at.epochMilliseconds >= DateTime.startOf(since, "minute").epochMilliseconds
                    ? sum + (counts[kind] ?? 0)
                    : sum,
                0,
              )
            return { ...sums, rejectedByRate: of("rejectedByRate"), truncated: of("truncated") }
          }),
      }
    }),
    fails: { IngestStatistics: ["forgets minutes that are two hours old when it counts another"] },
  },
  {
    fault: "statistics that count every kind as one",
    break: patch(IngestStatistics, ({ add }) => ({
      add: (counts, now) =>
        add({ rejectedByRate: Object.values(counts).reduce((sum, count) => sum + count, 0) }, now),
    })),
    fails: {
      IngestStatistics: [
        "sums each kind over the minutes since a moment, whose own minute counts as a whole",
        "takes several kinds at once, and none at all",
        "adds up what two nodes count in the same minute",
      ],
      Policies: ["of the intake include the queue size, and rejections of the last hour"],
    },
  },
]
