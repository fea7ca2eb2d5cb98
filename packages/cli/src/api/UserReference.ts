/** Users as people name them: by id, or by e-mail address. */
import { Effect, Option, Stream } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import type { Failure } from "./Failures.js"
import type { Client } from "./Session.js"

/** Any active user, or one by id. */
export const findUser = (client: Client, text: string) => find(text, client.users.stream())

/** A user with access to a project. */
export const findMember = (client: Client, project: number, text: string) =>
  find(text, client.members.stream(project))

// internal

interface User {
  readonly id: number
  readonly email_address: string
}

const find = <E extends Failure>(
  text: string,
  users: Stream.Stream<User, E>,
): Effect.Effect<number, E | CommandFailed> => {
  if (/^\d+$/.test(text)) return Effect.succeed(Number(text))
  const wanted = text.toLowerCase()
  return Effect.flatMap(
    Stream.runHead(Stream.filter(users, (user) => user.email_address.toLowerCase() === wanted)),
    Option.match({
      onNone: () =>
        new CommandFailed({
          message: `Not found: no active user here has the e-mail address ${text}`,
          exitCode: exitCodes.notFound,
        }),
      onSome: ({ id }) => Effect.succeed(id),
    }),
  )
}
