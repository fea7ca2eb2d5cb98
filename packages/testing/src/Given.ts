/** Data that cases start with, stored through the ports. */
import type { AlertRuleContent, Group, ListedGroup, ProjectId, Target } from "@errata/core"
import {
  AlertStore,
  AppStore,
  DeliveryStore,
  GroupLifecycle,
  GroupStore,
  type NewDelivery,
  type NewProject,
  type NewTarget,
  type NewUser,
  ProjectStore,
  Storage,
  TargetStore,
  UserStore,
} from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import * as Factory from "./Factory.js"

/** Stores a project. */
export const project = (overrides: Partial<NewProject> = {}) =>
  Effect.gen(function* () {
    const projects = yield* ProjectStore
    return yield* Effect.fromOption(
      yield* projects.insert(Factory.newProject(overrides), yield* DateTime.now),
    )
  })

/** Stores a user. */
export const user = (overrides: Partial<NewUser> = {}) =>
  Effect.gen(function* () {
    const users = yield* UserStore
    return yield* Effect.fromOption(yield* users.insert(Factory.newUser(overrides), yield* DateTime.now))
  })

/** Stores a user who is a member of these projects. */
export const member = (projectIds: ReadonlyArray<ProjectId>) =>
  Effect.gen(function* () {
    const users = yield* UserStore
    const { id } = yield* user()
    for (const projectId of projectIds) yield* users.addMembership(id, projectId)
    return yield* Effect.fromOption(yield* users.find(id))
  })

/** Stores an app. */
export const app = () =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    return yield* Effect.fromOption(yield* apps.insert(Factory.appName(), yield* DateTime.now))
  })

/** Stores a target. */
const targetOf = (target: NewTarget) =>
  Effect.gen(function* () {
    const targets = yield* TargetStore
    return yield* Effect.fromOption(yield* targets.insert(target, null, yield* DateTime.now))
  })

/** Stores a webhook. */
export const webhook = (projectId: ProjectId, overrides: Partial<NewTarget> = {}) =>
  targetOf(Factory.newWebhook(projectId, overrides))

/** Stores a notification target. */
export const target = (projectId: ProjectId, overrides: Partial<NewTarget> = {}) =>
  targetOf(Factory.newTarget(projectId, overrides))

/** Stores a rule of a project, or a default rule. */
export const rule = (projectId: ProjectId | null, overrides: Partial<AlertRuleContent> = {}) =>
  Effect.gen(function* () {
    const rules = yield* AlertStore
    const added = yield* rules.insert(projectId, Factory.ruleContent(overrides), yield* DateTime.now)
    return yield* Effect.fromOption(added)
  })

/** Stores a delivery to a webhook or to another target. */
export const delivery = (target: Pick<Target, "id" | "projectId">, overrides: Partial<NewDelivery> = {}) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const [id] = yield* deliveries.insert([Factory.newDelivery(target, overrides)], yield* DateTime.now)
    return yield* Effect.fromOption(yield* deliveries.find(target.projectId, target.id, id!))
  })

/** Stores a new group with the fields that `change` returns. */
export const group = (
  projectId: ProjectId,
  overrides: Partial<GroupLifecycle.NewGroup> = {},
  change: (group: Group) => Partial<Group> = () => ({}),
) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    const now = yield* DateTime.now
    return yield* storage.transaction(
      Effect.gen(function* () {
        const [locked] = yield* groups.lockOrCreate([Factory.newGroup(projectId, overrides)], now)
        const changed = changeGroup(locked!.group, change(locked!.group))
        yield* groups.save([changed])
        return changed
      }),
    )
  })

/** Merges groups in the storage, as `Groups.merge` does. */
export const merge = (target: ListedGroup, ...sources: ReadonlyArray<ListedGroup>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    const now = yield* DateTime.now
    yield* storage.transaction(
      Effect.gen(function* () {
        const locked = yield* groups.lockToMerge(
          target.projectId,
          target.id,
          sources.map((source) => source.id),
        )
        const current = (id: number) => locked.find((group) => group.id === id)!
        const merged = yield* Effect.fromResult(
          GroupLifecycle.merge(
            current(target.id),
            sources.map((source) => current(source.id)),
            null,
            now,
          ),
        )
        yield* groups.merge(merged.target, merged.sources, null, now)
      }),
    )
  })

/** Undoes the merge of a source in the storage, as `Groups.unmerge` does. */
export const unmerge = (root: ListedGroup, source: ListedGroup) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    const now = yield* DateTime.now
    yield* storage.transaction(
      Effect.gen(function* () {
        const { items } = yield* groups.listMerges(root.projectId, root.id, { limit: 100, cursor: null })
        const merge = items.find(({ sourceId }) => sourceId === source.id)
        const locked = yield* Effect.fromOption(yield* groups.lockMerge(root.projectId, merge!.id))
        yield* groups.unmerge(locked.merge, GroupLifecycle.unmerge(locked, null, now))
      }),
    )
  })

/** Runs an effect in a transaction that fails. */
export const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Storage, ({ transaction }) => transaction(Effect.andThen(effect, Effect.fail("intended"))))

/** Returns the group with other fields. */
export const changeGroup = (group: Group, fields: Partial<Group>): Group =>
  Object.assign(Object.create(Object.getPrototypeOf(group)), group, fields)
