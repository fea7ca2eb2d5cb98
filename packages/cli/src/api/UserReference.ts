/** Finds users by id, name or email address, and names by id. */
import type { UserView } from "@errata/api"
import { Effect, Stream } from "effect"
import { usageError } from "../ErrorOutput.js"
import { type Client, findId } from "./Session.js"

/** Finds any active user, or one by id. */
export const findUser = (client: Client, text: string) => find(text, client.users.stream())

/** Finds a user with access to a project. */
export const findMember = (client: Client, project: number, text: string) =>
  find(text, client.members.stream(project))

/** Finds a possible assignee of groups by id or name; for admins also by email address. */
export const findAssignee = (client: Client, project: number, text: string) =>
  Effect.gen(function* () {
    if (/^\d+$/.test(text)) return Number(text)
    const wanted = text.toLowerCase()
    const named = yield* client.assignees.stream(project).pipe(
      Stream.filter(({ name }) => name.toLowerCase() === wanted),
      Stream.runCollect,
    )
    const [first, ...others] = [...named].map(({ id }) => id)
    if (first === undefined) return yield* findMember(client, project, text)
    if (others.length === 0) return first
    return yield* usageError(
      `Ambiguous: the users ${[first, ...others].join(", ")} have the name ${text}. Give the id.`,
    )
  })

/** Returns the name of a user, or `user 7` if the caller may not know it. */
export type NameOf = (id: number) => string

/** The names of all who share a project with the caller. */
export const userNames = (client: Client): Effect.Effect<NameOf> =>
  client.people.all().pipe(
    Effect.map(({ people }) => new Map(people.map(({ id, name }) => [id, name]))),
    Effect.orElseSucceed(() => new Map<number, string>()),
    Effect.map((names) => (id) => names.get(id) ?? `user ${id}`),
  )

// internal

const find = <E>(text: string, users: Stream.Stream<Pick<UserView, "id" | "email_address">, E>) =>
  findId(
    text,
    users,
    (user) => user.email_address.toLowerCase() === text.toLowerCase(),
    `no active user has the email address ${text}`,
  )
