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
        "queues reports again that an upload may help, newest first, behind other reports",
        "queues again a bounded number of reports of the last days",
      ],
      Mapping: ["maps reports that arrived before their map, and groups later reports with them"],
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
        "finds the group of a report by a key that was added to it",
        "keeps a key with the group that has it, and reports the twin once",
      ],
      Mapping: [
        "maps reports that arrived before their map, and groups later reports with them",
        "keeps two groups of one error, and adds one note to each",
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
        "grants a new claim after expiry, and ignores results for the old claim",
        "expires results after their time, and grants claims again",
      ],
      HostedMaps: ["are fetched by one of several nodes that need them"],
    },
  },
  {
    fault: "hosted maps that outlive their origins",
    break: patch(SourcemapStore, ({ settleMap }) => ({
      settleMap: (script, claim, found) => settleMap(script, claim, { ...found, origins: [] }),
    })),
    fails: {
      SourcemapStore: [
        "stores no map from an origin that the project has removed",
        "removes the maps of a removed origin, and no others",
        "keeps no map of an origin that is removed while the map is stored",
      ],
      HostedMaps: ["are deleted with their origin, and fetched again after it is added again"],
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
        "skips projects that an app cannot have, and returns the reasons",
        "assigns a project to one of two apps that claim it concurrently",
      ],
    },
  },
  {
    fault: "apps that are listed whosever their projects are",
    break: patch(AppStore, ({ list }) => ({ list: (_, page) => list({ only: null }, page) })),
    fails: {
      AppStore: ["lists apps newest first, page by page, while apps are added"],
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
        "returns ascending ids in the order of the input, and null for missing webhooks",
        "skips deliveries to a webhook that another transaction is removing",
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
      DeliveryStore: ["filters a list by event and success, with full pages"],
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
    fails: { "DeliveryStore: leases": ["let only their holder store the result of an attempt"] },
  },
  {
    fault: "leases of which one webhook has all",
    break: patch(DeliveryStore, ({ lease }) => ({
      lease: (request) => lease({ ...request, perTarget: request.limit, exceptions: [] }),
    })),
    fails: { "DeliveryStore: leases": ["are shared fairly between webhooks, up to the limit of each"] },
  },
  ...(["event", "success"] as const).map(
    (condition): BrokenStore => ({
      fault: `a list of deliveries that ignores ${condition}`,
      break: patch(DeliveryStore, ({ list }) => ({
        list: (projectId, targetId, filter, page) =>
          list(projectId, targetId, { ...filter, [condition]: null }, page),
      })),
      fails: { DeliveryStore: ["filters a list by event and success, with full pages"] },
    }),
  ),
  {
    fault: "a removal of deliveries that knows no limit",
    break: patch(DeliveryStore, ({ removeSome }) => ({
      removeSome: (projectId, targetId, limit) => removeSome(projectId, targetId, limit * 2),
    })),
    fails: { DeliveryStore: ["removes a webhook's deliveries in batches"] },
  },
  {
    fault: "policies that are forgotten when they are locked",
    break: patch(PolicyStore, () => ({ lock: () => Effect.succeed({}) })),
    fails: {
      PolicyStore: ["locks a policy against concurrent changes, even without a stored value"],
      Policies: [
        "change only the given fields, on every node",
        "lose no change when two nodes change them concurrently",
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
        "takes back a node's unused slices within the same minute only",
        "grants nothing above a lowered limit, and the rest of a raised one",
        "grants no more than the limit to several concurrent nodes together",
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
    fails: { IngestStatistics: ["deletes minutes that are two hours old when it adds a count"] },
  },
  {
    fault: "statistics that count every kind as one",
    break: patch(IngestStatistics, ({ add }) => ({
      add: (counts, now) =>
        add({ rejectedByRate: Object.values(counts).reduce((sum, count) => sum + count, 0) }, now),
    })),
    fails: {
      IngestStatistics: [
        "sums each kind over the minutes since a time, including the whole first minute",
        "adds several kinds in one call, or none",
        "sums the counts of two nodes in the same minute",
      ],
      Policies: ["of the intake include the queue size, and rejections of the last hour"],
    },
  },
]
