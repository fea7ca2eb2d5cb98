/** Storages in memory with one thing wrong each, and the promises of the contract that they break. */
import {
  GroupStore,
  NoteStore,
  PendingPayloads,
  ProjectStore,
  ReportStore,
  type Services,
  Storage,
  type TagCount,
  UserStore,
} from "@errata/core"
import { Context, DateTime, Duration, Effect } from "effect"

type Stores = Context.Context<Services.Stores>

export interface BrokenStore {
  readonly fault: string
  readonly break: (stores: Stores) => Stores
  /** Cases by suite that must fail. Others may, too. */
  readonly fails: Readonly<Record<string, ReadonlyArray<string>>>
}

export const brokenStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "transactions that are none",
    break: patch(Storage, () => ({ transaction: (effect) => effect })),
    fails: {
      Storage: [
        "leaves nothing of a transaction that fails",
        "leaves nothing of a transaction that dies",
        "leaves nothing of a transaction that is interrupted",
        "makes a transaction inside another one a part of it",
        "hides from everyone else what a transaction has not committed, without making them wait",
        "lets nobody else change what a transaction has locked",
      ],
      "GroupStore.moveInto": ["moves nothing in a transaction that fails"],
      PendingPayloads: ["keeps what a failed transaction removed"],
    },
  },
  {
    fault: "transactions that swallow failures",
    break: patch(Storage, ({ transaction }) => ({
      transaction: (effect) => Effect.flatten(transaction(Effect.exit(effect))),
    })),
    fails: {
      Storage: ["leaves nothing of a transaction that fails", "leaves nothing of a transaction that dies"],
      "Recorder among faults": ["sets a payload aside that the storage refuses, and records its neighbours"],
    },
  },
  {
    fault: "an insert that forgets that events are unique",
    break: patch(ReportStore, ({ insert }) => {
      let copies = 0
      return {
        insert: (reports, now) =>
          insert(
            reports.map((report) => ({
              ...report,
              event: { ...report.event, eventId: `${copies++}/${report.event.eventId}` },
            })),
            now,
          ),
      }
    }),
    fails: {
      ReportStore: [
        "answers ids in the order of the reports, and null for events that it has",
        "inserts an event once when several nodes bring it at once",
      ],
      Recorder: ["records an event once, within a batch and across batches"],
    },
  },
  {
    fault: "a lease that hands batches out twice",
    break: patch(PendingPayloads, ({ lease, release }) => ({
      lease: (request) => Effect.tap(lease(request), (batches) => release(batches.map(({ id }) => id))),
    })),
    fails: {
      PendingPayloads: [
        "hands a batch out once while it is held",
        "hands every batch out once when several nodes ask at once",
      ],
    },
  },
  {
    fault: "a lease that never runs out",
    break: patch(PendingPayloads, ({ lease }) => ({
      lease: (request) => lease({ ...request, duration: Duration.days(1000) }),
    })),
    fails: {
      PendingPayloads: ["hands a batch out again when its lease has run out, and counts the attempts"],
    },
  },
  {
    fault: "a lease that does not count attempts",
    break: patch(PendingPayloads, ({ lease }) => ({
      lease: (request) =>
        Effect.map(lease(request), (batches) => batches.map((batch) => ({ ...batch, attempts: 1 }))),
    })),
    fails: {
      PendingPayloads: ["hands a batch out again when its lease has run out, and counts the attempts"],
      "Recorder among faults": ["records a batch that was leased too often payload by payload"],
    },
  },
  {
    fault: "a queue that never says that a batch was gone",
    break: patch(PendingPayloads, ({ remove }) => ({ remove: (parts) => Effect.as(remove(parts), true) })),
    fails: {
      PendingPayloads: [
        "tells when what is to be removed is gone already",
        "lets only one of two nodes remove a batch",
      ],
      "Recorder among faults": [
        "leaves no trace where another node has recorded a batch since the lease ran out",
      ],
    },
  },
  {
    fault: "a queue that forgets what was not recorded of a batch",
    break: patch(PendingPayloads, ({ remove }) => ({
      remove: (parts) =>
        Effect.tap(remove(parts), () => {
          const positions = Array.from({ length: 300 }, (_, i) => i)
          return remove(parts.map(({ batchId }) => ({ batchId, positions, whole: true })))
        }),
    })),
    fails: {
      PendingPayloads: ["removes parts of a batch and keeps the rest at its positions"],
      "Recorder among faults": ["sets a payload aside that the storage refuses, and records its neighbours"],
    },
  },
  {
    fault: "lists with the oldest first",
    break: (stores) =>
      stores.pipe(
        patch(GroupStore, ({ list }) => ({
          list: (...args) =>
            Effect.map(list(...args), (page) => ({ ...page, items: page.items.toReversed() })),
        })),
        patch(ReportStore, ({ list }) => ({
          list: (...args) =>
            Effect.map(list(...args), (page) => ({ ...page, items: page.items.toReversed() })),
        })),
      ),
    fails: {
      "GroupStore.list": ["lists groups newest first, page by page, whatever comes in meanwhile"],
      "ReportStore.list": [
        "lists the reports of a group newest first, page by page, whatever comes in meanwhile",
      ],
    },
  },
  {
    fault: "pages that start with the last item of the page before",
    break: patch(GroupStore, ({ list }) => ({
      list: (projectId, filter, page, now) =>
        list(projectId, filter, { ...page, cursor: page.cursor === null ? null : page.cursor + 1 }, now),
    })),
    fails: {
      "GroupStore.list": [
        "lists groups newest first, page by page, whatever comes in meanwhile",
        "fills the pages of a filtered list",
      ],
    },
  },
  {
    fault: "a merge that forgets tag counts",
    break: patch(GroupStore, ({ addTagCounts, moveInto }) => {
      const added: Array<TagCount> = []
      return {
        addTagCounts: (counts) => {
          added.push(...counts)
          return addTagCounts(counts)
        },
        moveInto: (target, sources, now) =>
          Effect.zipRight(
            Effect.forEach(
              added.filter(({ groupId }) => sources.some(({ id }) => id === groupId)),
              (tag) => addTagCounts([{ ...tag, count: -tag.count }]),
            ),
            moveInto(target, sources, now),
          ),
      }
    }),
    fails: { "GroupStore.moveInto": ["moves the tag counts"] },
  },
  {
    fault: "a merge that forgets the keys of the sources",
    break: patch(GroupStore, ({ lockOrCreate }) => ({
      lockOrCreate: (candidates, now) =>
        Effect.flatMap(lockOrCreate(candidates, now), (locked) =>
          lockOrCreate(
            candidates.map((candidate, i) =>
              locked[i]?.group.grouping.key === candidate.grouping.key
                ? candidate
                : { ...candidate, grouping: { ...candidate.grouping, key: `${candidate.grouping.key}'` } },
            ),
            now,
          ).pipe(
            Effect.map((again) => again.map((item, i) => ({ ...item, created: locked[i]?.created ?? true }))),
          ),
        ),
    })),
    fails: {
      "GroupStore.moveInto": ["lets the keys of the sources lead to the target"],
      Recorder: ["records reports of merged groups in the target"],
    },
  },
  {
    fault: "a group for every report",
    break: patch(GroupStore, ({ lockOrCreate }) => {
      let copies = 0
      return {
        lockOrCreate: (candidates, now) =>
          lockOrCreate(
            candidates.map((candidate) => ({
              ...candidate,
              grouping: { ...candidate.grouping, key: `${candidate.grouping.key}/${copies++}` },
            })),
            now,
          ),
      }
    }),
    fails: {
      GroupStore: [
        "makes one group when two nodes bring the same new key at once",
        "makes one group a key when many bring overlapping keys in any order",
      ],
    },
  },
  {
    fault: "groups that are never discarded",
    break: patch(GroupStore, () => ({ discard: () => Effect.void })),
    fails: {
      GroupStore: ["discards a group that was created for nothing, and frees its key"],
      Recorder: ["leaves no group of events that were known"],
    },
  },
  {
    fault: "mutes that run out too early",
    break: patch(GroupStore, ({ lockExpiredMutes }) => ({
      lockExpiredMutes: (now, limit) => lockExpiredMutes(DateTime.add(now, { millis: 1 }), limit),
    })),
    fails: { "GroupStore sweeps": ["locks groups whose mutes have run out, and only those"] },
  },
  {
    fault: "lists that judge mutes at another time than that of reading",
    break: patch(GroupStore, ({ list }) => ({
      list: (projectId, filter, page) =>
        Effect.flatMap(DateTime.now, (now) => list(projectId, filter, page, now)),
    })),
    fails: { "GroupStore.list": ["filters by what is muted at the time of reading"] },
  },
  ...(
    [
      ["resolved", "filters by resolution"],
      ["muted", "filters by what is muted at the time of reading"],
      ["severities", "filters by severity"],
      ["errorType", "filters by error type, exactly"],
      ["assignee", "filters by assignee"],
      ["reportsCount", "filters by the number of reports"],
      ["lastOccurredFrom", "filters by the last occurrence, its bounds included"],
      ["lastOccurredTo", "filters by the last occurrence, its bounds included"],
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
  ...(
    [
      ["tags", "filters by tags, all of which must be there"],
      ["text", "filters by text in type, message and culprit"],
    ] as const
  ).map(
    ([condition, broken]): BrokenStore => ({
      fault: `a filter that ignores ${condition}`,
      break: patch(GroupStore, ({ list }) => ({
        list: (projectId, filter, page, now) => list(projectId, { ...filter, [condition]: [] }, page, now),
      })),
      fails: { "GroupStore.list": [broken] },
    }),
  ),
  {
    fault: "a range of time that includes its bounds",
    break: patch(ReportStore, ({ list }) => ({
      list: (projectId, groupId, { since, until }, page) =>
        list(
          projectId,
          groupId,
          {
            since: since && DateTime.subtract(since, { millis: 1 }),
            until: until && DateTime.add(until, { millis: 1 }),
          },
          page,
        ),
    })),
    fails: { "ReportStore.list": ["narrows a list to a range of occurrence that excludes its bounds"] },
  },
  {
    fault: "notes that are not counted",
    break: patch(NoteStore, () => ({ append: () => Effect.void })),
    fails: {
      NoteStore: ["counts notes on their groups"],
      Recorder: ["adds feedback to the group of its event"],
    },
  },
  {
    fault: "names of projects that are not unique",
    break: patch(ProjectStore, ({ insert }) => {
      let copies = 0
      return { insert: (project, now) => insert({ ...project, name: `${project.name} ${copies++}` }, now) }
    }),
    fails: {
      ProjectStore: [
        "gives a name to one project only",
        "gives a name to one project only when two nodes insert it at once",
      ],
    },
  },
  {
    fault: "counts of projects that are set rather than added",
    break: patch(ProjectStore, ({ addCounts, find }) => ({
      addCounts: (counts) =>
        Effect.forEach(
          counts,
          (count) =>
            Effect.flatMap(Effect.flatten(Effect.orDie(find(count.projectId))), (project) =>
              addCounts([
                {
                  projectId: count.projectId,
                  groups: count.groups - project.groupsCount,
                  reports: count.reports - project.reportsCount,
                },
              ]),
            ).pipe(Effect.orDie),
          { discard: true },
        ),
    })),
    fails: {
      ProjectStore: ["adds to the counts of several projects, from several nodes"],
      Recorder: ["counts what comes later into the groups that there are"],
    },
  },
  {
    fault: "API keys that outlive their users",
    break: patch(UserStore, ({ find, findByApiKeyHash, insert }) => {
      const owners = new Map<string, Parameters<typeof find>[0]>()
      return {
        insert: (user, now) =>
          Effect.tap(insert(user, now), (inserted) => {
            if (inserted._tag === "Some") owners.set(user.apiKeyHash, inserted.value.id)
            return Effect.void
          }),
        findByApiKeyHash: (hash) => {
          const owner = owners.get(hash)
          return owner === undefined ? findByApiKeyHash(hash) : find(owner)
        },
      }
    }),
    fails: { UserStore: ["ends the access of a user who is deactivated", "replaces an API key"] },
  },
]

// internal

function patch<I extends Services.Stores, S>(tag: Context.Tag<I, S>, change: (store: S) => Partial<S>) {
  return (stores: Stores): Stores => {
    const store = Context.get(stores as Context.Context<I>, tag)
    return Context.add(stores, tag, { ...store, ...change(store) })
  }
}
