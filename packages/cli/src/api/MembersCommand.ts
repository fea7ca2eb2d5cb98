/** `errata members`: users with access to a project. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { connectionOptions, pageOptions, projectOption } from "./ApiOptions.js"
import { list as listing } from "./Listing.js"
import { note } from "./Output.js"
import { inProject } from "./Session.js"
import { findMember, findUser } from "./UserReference.js"
import { userColumns } from "./UserText.js"

const user = Argument.String("user").pipe(Argument.withDescription("Id or email address of the user"))

const list = Command.make("list", { ...pageOptions, ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    listing({
      choice,
      columns: userColumns,
      empty: "No users.",
      page: (query) => client.members.list(project, query),
      items: ({ users }) => users,
      stream: (query) => client.members.stream(project, query),
    }),
  ),
).pipe(Command.withDescription("List the users with access to a project (admin)"))

const add = Command.make("add", { user, ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    Effect.gen(function* () {
      const id = yield* findUser(client, choice.user)
      yield* client.members.add(project, id)
      yield* note(`User ${id} is a member of project ${project}.`)
    }),
  ),
).pipe(Command.withDescription("Add a user to a project (admin)"))

const remove = Command.make("remove", { user, ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    Effect.gen(function* () {
      const id = yield* findMember(client, project, choice.user)
      yield* client.members.remove(project, id)
      yield* note(`User ${id} is no longer a member of project ${project}.`)
    }),
  ),
).pipe(Command.withDescription("Remove a user from a project (admin)"))

export const members = Command.make("members").pipe(
  Command.withDescription("Manage access to a project"),
  Command.withSubcommands([list, add, remove]),
)
