/** Notes and assignments through the core's services. */
import { AccessPolicy, Actor, CurrentActor, Groups, NoteId, Notes, type User } from "@errata/core"
import { NoteStore, UserStore } from "@errata/core/ports"
import { contractCase, Factory, Given, onSecondNode } from "@errata/testing"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"

const all = { limit: 100, cursor: null }

const services = Layer.provideMerge(Layer.merge(Notes.Default, Groups.Default), AccessPolicy.layer)

const as = (user: User) => Effect.provideService(CurrentActor, Actor.Person({ user }))

/** A project with a group, and a user's permissions in it. */
const given = Effect.gen(function* () {
  const project = yield* Given.project()
  const group = yield* Given.group(project.id)
  const change = (user: User) =>
    Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project("groups.change", project.id)).pipe(
      as(user),
    )
  const read = (user: User) =>
    Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project("groups.read", project.id)).pipe(
      as(user),
    )
  return { project, group, change, read, author: yield* Given.member([project.id]) }
})

const contents = Effect.fnUntraced(function* (user: User, from: Effect.Success<typeof given>) {
  const page = yield* (yield* Notes).list(yield* from.read(user), from.group.id, all)
  return page.items.map(({ content }) => content)
})

onStorages("Notes", [
  contractCase(
    "are written by people with access to the project, with their author",
    Effect.gen(function* () {
      const from = yield* given
      const { author, group } = from
      const note = yield* (yield* Notes).create(yield* from.change(author), group.id, " It is the cache\n")
      expect(note).toMatchObject({
        groupId: group.id,
        content: " It is the cache\n",
        automated: false,
        user: { id: author.id, name: author.name, emailAddress: author.emailAddress },
      })
      expect(yield* contents(author, from)).toEqual([" It is the cache\n"])
    }).pipe(Effect.provide(services)),
  ),

  contractCase(
    "are neither blank nor too long, and of characters that can be stored",
    Effect.gen(function* () {
      const from = yield* given
      const { author, group } = from
      const create = Effect.fnUntraced(function* (content: string) {
        return yield* refusal((yield* Notes).create(yield* from.change(author), group.id, content))
      })
      expect(yield* create(" \n\t")).toEqual({ content: ["can't be blank"] })
      expect(yield* create("x".repeat(10_001))).toEqual({
        content: ["is too long (maximum is 10000 characters)"],
      })
      for (const content of ["nul \0", "half \ud800 a pair"]) {
        expect(yield* create(content)).toEqual({ content: ["contains characters that cannot be stored"] })
      }
      expect(yield* create("x".repeat(10_000))).toBe("accepted")
      expect(yield* create("a whole pair 🐛")).toBe("accepted")
      expect(yield* contents(author, from)).toHaveLength(2)
    }).pipe(Effect.provide(services)),
  ),

  contractCase(
    "are removed by their authors and by admins",
    Effect.gen(function* () {
      const from = yield* given
      const { author, change, group, project } = from
      const colleague = yield* Given.member([project.id])
      const admin = yield* Given.user({ role: "admin" })
      const notes = yield* Notes
      const [a, b] = [
        yield* notes.create(yield* change(author), group.id, "a"),
        yield* notes.create(yield* change(author), group.id, "b"),
      ]
      expect(yield* refusal(notes.remove(yield* change(colleague), group.id, a.id))).toBe("AccessDenied")
      expect(yield* contents(author, from)).toEqual(["b", "a"])
      yield* (yield* NoteStore).append([Factory.newNote(group, { content: "of nobody", automated: true })])
      const [ofNobody] = (yield* notes.list(yield* from.read(author), group.id, all)).items
      expect(yield* refusal(notes.remove(yield* change(author), group.id, ofNobody!.id))).toBe("AccessDenied")
      yield* notes.remove(yield* change(admin), group.id, ofNobody!.id)
      yield* notes.remove(yield* change(author), group.id, a.id)
      yield* notes.remove(yield* change(admin), group.id, b.id)
      expect(yield* contents(author, from)).toEqual([])
      expect(yield* refusal(notes.remove(yield* change(author), group.id, a.id))).toBe("NoteNotFound")
    }).pipe(Effect.provide(services)),
  ),

  contractCase(
    "of a merged group belong to the target",
    Effect.gen(function* () {
      const from = yield* given
      const { author, change, group, project, read } = from
      const target = yield* Given.group(project.id)
      const notes = yield* Notes
      const { id } = yield* notes.create(yield* change(author), group.id, "moves")
      yield* Given.merge(target, group)
      for (const refused of [
        Effect.flip(notes.list(yield* read(author), group.id, all)),
        Effect.flip(notes.create(yield* change(author), group.id, "late")),
        Effect.flip(notes.remove(yield* change(author), group.id, id)),
      ]) {
        expect(yield* refused).toMatchObject({
          _tag: "GroupNotFound",
          groupId: group.id,
          mergedIntoId: target.id,
        })
      }
      expect(yield* contents(author, { ...from, group: target })).toEqual(["moves"])
      const unknown = NoteId.make(id + 1_000_000)
      expect(yield* refusal(notes.remove(yield* change(author), target.id, unknown))).toBe("NoteNotFound")
    }).pipe(Effect.provide(services)),
  ),

  contractCase(
    "are counted correctly when they are added and removed during a merge",
    Effect.gen(function* () {
      const from = yield* given
      const { author, group, project, read } = from
      const target = yield* Given.group(project.id)
      const notes = yield* Notes
      const change = yield* from.change(author)
      const { id } = yield* notes.create(change, group.id, "goes")
      yield* Effect.all(
        [
          onSecondNode(Given.merge(target, group)),
          Effect.exit(notes.remove(change, group.id, id)),
          Effect.exit(notes.create(change, group.id, "comes")),
        ],
        { concurrency: "unbounded" },
      )
      const left = yield* notes.list(yield* read(author), target.id, all)
      const merged = yield* (yield* Groups).get(yield* read(author), target.id)
      expect(left.items).toHaveLength(merged.notesCount)
    }).pipe(Effect.provide(services)),
  ),
])

onStorages("Assignment", [
  contractCase(
    "can be anybody who can read the group, and adds a note",
    Effect.gen(function* () {
      const from = yield* given
      const { author, change, group, project, read } = from
      const groups = yield* Groups
      const colleague = yield* Given.member([project.id])
      const admin = yield* Given.user({ role: "admin" })
      for (const { id } of [colleague, admin, author]) {
        yield* groups.assign(yield* change(author), group.id, id)
        expect((yield* groups.get(yield* read(author), group.id)).assigneeId).toBe(id)
      }
      yield* groups.assign(yield* change(author), group.id, author.id)
      yield* groups.unassign(yield* change(author), group.id)
      yield* groups.unassign(yield* change(author), group.id)
      expect((yield* groups.get(yield* read(author), group.id)).assigneeId).toBeNull()
      expect(yield* contents(author, from)).toEqual([
        "Unassigned",
        ...[author, admin, colleague].map(({ id }) => `Assigned to user ${id}`),
      ])
    }).pipe(Effect.provide(services)),
  ),

  contractCase(
    "cannot be anybody else",
    Effect.gen(function* () {
      const from = yield* given
      const { author, change, group, project, read } = from
      const users = yield* UserStore
      const groups = yield* Groups
      const stranger = yield* Given.user()
      const gone = yield* Given.member([project.id])
      yield* users.deactivate(gone.id, Factory.noon)
      const assign = (id: User["id"]) =>
        Effect.flatMap(change(author), (allowed) => refusal(groups.assign(allowed, group.id, id)))
      const unknown = (stranger.id + 1_000_000) as User["id"]
      for (const id of [stranger.id, gone.id, unknown]) {
        expect(yield* assign(id)).toEqual({
          assigneeId: ["is not an active user with access to the project"],
        })
      }
      expect((yield* groups.get(yield* read(author), group.id)).assigneeId).toBeNull()
      expect(yield* contents(author, from)).toEqual([])
    }).pipe(Effect.provide(services)),
  ),
])
