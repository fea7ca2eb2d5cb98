/** In-memory storages with one fault each, and the contract cases that must detect it. */
import type { GroupId, ProjectId, Services } from "@errata/core"
import {
  GroupStore,
  NoteStore,
  PendingPayloads,
  ProjectStore,
  ReleaseStore,
  ReportStore,
  SourcemapStore,
  Storage,
  UserStore,
} from "@errata/core/ports"
import { Factory } from "@errata/testing"
import { Context, DateTime, Duration, Effect } from "effect"

type Stores = Context.Context<Services.Stores>

export interface BrokenStore {
  readonly fault: string
  readonly break: (stores: Stores) => Stores
  /** Cases by suite that must fail. Others may fail too. */
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
        "makes a nested transaction part of the outer one",
        "hides uncommitted writes from other readers without blocking them",
        "locks rows of a transaction against concurrent changes",
      ],
      "GroupStore.merge": ["changes nothing in a transaction that fails"],
      PendingPayloads: ["keeps payloads that a failed transaction removed"],
    },
  },
  {
    fault: "transactions that swallow failures",
    break: patch(Storage, ({ transaction }) => ({
      transaction: (effect) => Effect.flatten(transaction(Effect.exit(effect))),
    })),
    fails: {
      Storage: ["leaves nothing of a transaction that fails", "leaves nothing of a transaction that dies"],
      "Recorder among faults": [
        "makes a dead letter of a payload that the storage refuses, and records its neighbors",
      ],
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
        "returns ids in the order of the reports, and null for stored events",
        "inserts an event once under concurrent inserts",
      ],
      Recorder: ["records an event once, within a batch and across batches"],
    },
  },
  {
    fault: "a lease that hands batches out twice",
    break: patch(PendingPayloads, ({ lease, release }) => ({
      lease: (request) => Effect.tap(lease(request), release),
    })),
    fails: {
      PendingPayloads: [
        "leases a batch to one caller at a time",
        "leases each batch to one of several concurrent nodes",
      ],
    },
  },
  {
    fault: "a lease that never runs out",
    break: patch(PendingPayloads, ({ lease }) => ({
      lease: (request) => lease({ ...request, duration: Duration.days(1000) }),
    })),
    fails: {
      PendingPayloads: ["leases a batch again when its lease expires, and counts the attempts"],
    },
  },
  {
    fault: "leases that are not renewed",
    break: patch(PendingPayloads, () => ({ renew: () => Effect.void })),
    fails: { PendingPayloads: ["holds a batch as long as its lease is renewed"] },
  },
  {
    fault: "leases that a former holder can renew",
    break: patch(PendingPayloads, ({ postpone }) => ({
      renew: postpone,
    })),
    fails: { PendingPayloads: ["renews no lease that another node has taken over"] },
  },
  {
    fault: "suspects that are like any others",
    break: patch(PendingPayloads, ({ append }) => ({
      isolate: (payloads) => append(payloads.map(({ payload }) => payload)),
    })),
    fails: { PendingPayloads: ["leases suspects one by one, separately from other payloads"] },
  },
  {
    fault: "suspects that do not wait longer and longer",
    break: patch(PendingPayloads, ({ leaseSuspect }) => ({
      leaseSuspect: ([first]) => leaseSuspect([first!]),
    })),
    fails: { PendingPayloads: ["delays a suspect longer after every attempt"] },
  },
  {
    fault: "no bounds to dead letters",
    break: patch(PendingPayloads, ({ addDeadLetters }) => ({
      addDeadLetters: (payloads, _, now) => addDeadLetters(payloads, { payloads: 1e9, bytes: 1e12 }, now),
      expireDeadLetters: () => Effect.succeed(0),
    })),
    fails: {
      PendingPayloads: [
        "deletes the oldest dead letters of a project beyond the bounds",
        "deletes old dead letters in batches",
      ],
    },
  },
  {
    fault: "a lease that does not count attempts",
    break: patch(PendingPayloads, ({ lease }) => ({
      lease: (request) =>
        Effect.map(lease(request), (batches) => batches.map((batch) => ({ ...batch, attempts: 1 }))),
    })),
    fails: {
      PendingPayloads: ["leases a batch again when its lease expires, and counts the attempts"],
      "Recorder among faults": ["records a batch that was leased too often payload by payload"],
    },
  },
  {
    fault: "a queue that never says that a batch was gone",
    break: patch(PendingPayloads, ({ remove }) => ({ remove: (parts) => Effect.as(remove(parts), true) })),
    fails: {
      PendingPayloads: [
        "returns whether the removed payloads were still there",
        "lets only one of two nodes remove a batch",
      ],
      "Recorder among faults": [
        "stores nothing if another node has recorded the batch after the lease expired",
      ],
    },
  },
  {
    fault: "a queue that drops unrecorded payloads of a batch",
    break: patch(PendingPayloads, ({ remove }) => ({
      remove: (parts) =>
        Effect.tap(remove(parts), () => {
          const positions = Array.from({ length: 300 }, (_, i) => i)
          return remove(parts.map((part) => ({ ...part, positions, whole: true })))
        }),
    })),
    fails: {
      PendingPayloads: ["removes parts of a batch and keeps the rest at its positions"],
      "Recorder among faults": [
        "makes a dead letter of a payload that the storage refuses, and records its neighbors",
      ],
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
      "GroupStore.list": ["lists groups newest first, page by page, during inserts"],
      "ReportStore.list": ["lists the reports of a group newest first, page by page, during inserts"],
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
        "lists groups newest first, page by page, during inserts",
        "fills the pages of a filtered list",
      ],
    },
  },
  {
    fault: "a merge that writes the keys of the sources anew",
    break: patch(GroupStore, ({ lockOrCreate }) => ({
      lockOrCreate: (candidates, now) =>
        Effect.map(lockOrCreate(candidates, now), (locked) =>
          locked.map((item) => ({ ...item, groupId: item.group.id })),
        ),
    })),
    fails: {
      "GroupStore.merge": ["finds the target by the keys of the sources"],
      "GroupStore.unmerge": ["restores everything that a merge moved, despite changes in between"],
    },
  },
  {
    fault: "figures of merged groups that are not kept apart",
    break: patch(GroupStore, () => ({ addToParts: () => Effect.void })),
    fails: { "GroupStore.unmerge": ["restores everything that a merge moved, despite changes in between"] },
  },
  {
    fault: "merges that are listed oldest first",
    break: patch(GroupStore, ({ listMerges }) => ({
      listMerges: (...args) =>
        Effect.map(listMerges(...args), (page) => ({ ...page, items: page.items.toReversed() })),
    })),
    fails: { "GroupStore.unmerge": ["lists the merges of a whole tree newest first, page by page"] },
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
        "creates one group if two nodes insert the same new key concurrently",
        "creates one group per key under concurrent inserts of overlapping keys",
      ],
    },
  },
  {
    fault: "groups that are never discarded",
    break: patch(GroupStore, () => ({ discard: () => Effect.void })),
    fails: {
      GroupStore: ["discards a new group without reports, and frees its key"],
      Recorder: ["creates no group for events that are already stored"],
    },
  },
  {
    fault: "discarded groups that are forgotten",
    break: patch(GroupStore, () => ({
      lastDiscarded: (groups) => Effect.succeed(groups.map(() => null)),
    })),
    fails: {
      "GroupStore.remove": [
        "is stored as the last discarded group for its keys and those of groups merged into it",
      ],
      Recorder: ["notes on a new group that an earlier one of the error was discarded"],
    },
  },
  {
    fault: "mutes that run out too early",
    break: patch(GroupStore, ({ lockExpiredMutes }) => ({
      lockExpiredMutes: (now, limit) => lockExpiredMutes(DateTime.add(now, { milliseconds: 1 }), limit),
    })),
    fails: { "GroupStore sweeps": ["locks only groups whose mutes have expired"] },
  },
  {
    fault: "lists that judge mutes at another time than that of reading",
    break: patch(GroupStore, ({ list }) => ({
      list: (projectId, filter, page) =>
        Effect.flatMap(DateTime.now, (now) => list(projectId, filter, page, now)),
    })),
    fails: { "GroupStore.list": ["filters by mutes in effect at the time of reading"] },
  },
  ...(
    [
      ["resolved", "filters by resolution"],
      ["muted", "filters by mutes in effect at the time of reading"],
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
      ["tags", "filters by tags, and requires all of them"],
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
            since: since && DateTime.subtract(since, { milliseconds: 1 }),
            until: until && DateTime.add(until, { milliseconds: 1 }),
          },
          page,
        ),
    })),
    fails: { "ReportStore.list": ["filters a list by occurrence, without the bounds"] },
  },
  {
    fault: "notes that are not counted",
    break: patch(NoteStore, () => ({ append: () => Effect.void })),
    fails: {
      NoteStore: ["counts notes on their groups"],
      "Recorder of feedback": ["adds feedback to the group of its event"],
    },
  },
  {
    fault: "notes that stay counted when they are removed",
    break: patch(NoteStore, ({ append, remove }) => ({
      remove: (projectId, groupId, id) =>
        Effect.tap(remove(projectId, groupId, id), (removed) =>
          removed ? append([Factory.newNote({ projectId, id: groupId })]) : Effect.void,
        ),
    })),
    fails: {
      NoteStore: [
        "removes a note and decreases the count of its group",
        "decreases the count once when two nodes remove a note concurrently",
      ],
    },
  },
  {
    fault: "notes that are found by their id alone",
    break: patch(NoteStore, ({ find, insert, remove }) => {
      const owners = new Map<number, readonly [ProjectId, GroupId]>()
      return {
        insert: (note) =>
          Effect.tap(insert(note), ({ id }) => {
            owners.set(id, [note.projectId, note.groupId])
            return Effect.void
          }),
        find: (projectId, groupId, id) => find(...(owners.get(id) ?? [projectId, groupId]), id),
        remove: (projectId, groupId, id) => remove(...(owners.get(id) ?? [projectId, groupId]), id),
      }
    }),
    fails: { NoteStore: ["finds and removes a note by its project and its group only"] },
  },
  {
    fault: "lists of notes without their authors",
    break: patch(NoteStore, ({ list }) => ({
      list: (...args) =>
        Effect.map(list(...args), (page) => ({
          ...page,
          items: page.items.map((note) => ({ ...note, user: null })),
        })),
    })),
    fails: {
      NoteStore: [
        "returns a note as stored, with its author",
        "keeps notes without an author, and notes of deactivated users",
      ],
    },
  },
  {
    fault: "names of projects that are not unique",
    break: patch(ProjectStore, ({ insert }) => {
      let copies = 0
      return { insert: (project, now) => insert({ ...project, name: `${project.name} ${copies++}` }, now) }
    }),
    fails: {
      ProjectStore: ["assigns a name to one project only", "assigns a name to one project when nodes race"],
    },
  },
  {
    fault: "names of projects that two may be given later",
    break: patch(ProjectStore, ({ find, update }) => ({
      update: (id, { name: _, ...change }, now) => Effect.andThen(update(id, change, now), find(id)),
    })),
    fails: {
      Projects: ["change only the given fields", "reject the name of another project, and accept their own"],
    },
  },
  {
    fault: "mutes of projects that go on whatever has become of them",
    break: patch(ProjectStore, ({ advanceMute }) => ({
      advanceMute: (unfinished, after) => Effect.as(advanceMute(unfinished, after), true),
    })),
    fails: {
      "Project mutes": [
        "store their progress through the groups",
        "start again when they are replaced",
        "stop muting groups when they are cleared",
      ],
    },
  },
  {
    fault: "unfinished mutes of projects that are never listed",
    break: patch(ProjectStore, () => ({ unfinishedMutes: Effect.succeed([]) })),
    fails: {
      "Project mutes": [
        "are finished immediately without groups, and without a project or mute",
        "continue after a process that ended, without repeating finished groups",
      ],
    },
  },
  {
    fault: "projects that outlive their removal",
    break: patch(ProjectStore, () => ({ remove: () => Effect.void })),
    fails: {
      "ProjectStore.remove": [
        "hides a project from every query immediately",
        "ends only the memberships of the project",
        "releases the name, and never reuses an id",
      ],
      Projects: ["are not found after removal, and their data is purged"],
    },
  },
  {
    fault: "deleted projects that are never purged",
    break: patch(ProjectStore, () => ({ purge: () => Effect.succeed(0) })),
    fails: {
      "ProjectStore.remove": [
        "purges all rows of deleted projects, and no others, in steps of the given size",
        "purges late events of a deleted project for a day",
        "lets two nodes purge concurrently",
      ],
    },
  },
  {
    fault: "a purge that removes more than it is asked to",
    break: patch(ProjectStore, ({ purge }) => ({ purge: (limit, now) => purge(limit * 10, now) })),
    fails: {
      "ProjectStore.remove": [
        "purges all rows of deleted projects, and no others, in steps of the given size",
      ],
    },
  },
  {
    fault: "everybody a member of every project",
    break: patch(UserStore, ({ list }) => ({ list: (_, page) => list(null, page) })),
    fails: {
      UserStore: ["lists who has access to a project: active members and admins, newest first"],
    },
  },
  {
    fault: "a count of admins that is always two",
    break: patch(UserStore, () => ({ countActiveAdmins: Effect.succeed(2) })),
    fails: {
      UserStore: ["counts active admins"],
    },
  },
  {
    fault: "origins of source maps that are not counted",
    break: patch(SourcemapStore, () => ({ lockOriginCount: () => Effect.succeed(0) })),
    fails: {
      "SourcemapStore origins": [
        "counts the origins of a project",
        "allows at most ten origins under concurrent inserts",
      ],
    },
  },
  {
    fault: "releases that are not counted, and of which all are as new as the others",
    break: patch(ReleaseStore, ({ newestVersions }) => ({
      lockCount: () => Effect.succeed(0),
      newestVersions: (...args) => Effect.map(newestVersions(...args), (versions) => versions.toReversed()),
    })),
    fails: {
      ReleaseStore: [
        "returns the newest versions by release date, and which of given versions exist",
        "counts releases that were created by uploads, not by events",
      ],
    },
  },
  {
    fault: "releases that are seen when they are looked for",
    break: patch(ReleaseStore, () => ({
      firstSeen: (places) => Effect.map(DateTime.now, (now) => places.map(() => now.epochMilliseconds)),
    })),
    fails: {
      ReleaseStore: ["returns when a release was first seen, and to the hour when it was last seen"],
      "Recorder by releases": [
        "reopens a group that is resolved in the next release by a release that is first seen later",
        "compares versions, or the times they were first seen if they have no order",
        "ends a mute until the next release, and notes the release",
      ],
    },
  },
  {
    fault: "groups that forget their release",
    break: patch(GroupStore, ({ save }) => ({
      save: (groups) =>
        save(
          groups.map((group) => ({
            ...group,
            resolution: group.resolution && { ...group.resolution, inRelease: null },
          })),
        ),
    })),
    fails: {
      GroupStore: ["saves everything that transitions can change"],
      "Recorder by releases": [
        "reopens a group that is resolved in the next release by a release that is first seen later",
        "uses the root's release for merged groups, and restores the source's on unmerge",
      ],
    },
  },
  {
    fault: "releases that are removed although reports are of them",
    break: patch(ReleaseStore, () => ({ removeUnseen: () => Effect.succeed(true) })),
    fails: { ReleaseStore: ["removes a release without reports"] },
  },
  {
    fault: "origins of source maps that are removed from every project",
    break: patch(SourcemapStore, ({ insertOrigin: insert, removeOrigin: remove }) => {
      const owners = new Map<number, ProjectId>()
      return {
        insertOrigin: (projectId, origin, now) =>
          Effect.tap(insert(projectId, origin, now), (inserted) => {
            if (inserted._tag === "Some") owners.set(inserted.value.id, projectId)
            return Effect.void
          }),
        removeOrigin: (projectId, id) => remove(owners.get(id) ?? projectId, id),
      }
    }),
    fails: { "SourcemapStore origins": ["removes an origin of the project, once"] },
  },
  {
    fault: "counts of projects that are set rather than added",
    break: patch(ProjectStore, ({ addCounts, find }) => ({
      addCounts: (counts, now) =>
        Effect.forEach(
          counts,
          (count) =>
            Effect.flatMap(
              Effect.flatMap(Effect.orDie(find(count.projectId)), Effect.fromOption),
              (project) =>
                addCounts(
                  [
                    {
                      projectId: count.projectId,
                      groups: count.groups - project.groupsCount,
                      reports: count.reports - project.reportsCount,
                    },
                  ],
                  now,
                ),
            ).pipe(Effect.orDie),
          { discard: true },
        ),
    })),
    fails: {
      ProjectStore: ["adds to the counts of several projects, from several nodes"],
      Recorder: ["counts later reports in existing groups"],
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
    fails: { UserStore: ["replaces an API key", "ends the access of a deactivated user"] },
  },
]

/** Returns a function that replaces methods of one store. */
export function patch<I extends Services.Stores, S>(
  tag: Context.Key<I, S>,
  change: (store: S) => Partial<S>,
) {
  return (stores: Stores): Stores => {
    const store = Context.get(stores as Context.Context<I>, tag)
    return Context.add(stores, tag, { ...store, ...change(store) })
  }
}
