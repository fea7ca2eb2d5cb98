import { Command } from "effect/cli"
import { projectCommand } from "./ApiCommand.js"
import { pageOptions, textArgument } from "./ApiOptions.js"
import { list as listing } from "./Listing.js"
import { note } from "./Output.js"
import { findMember, findUser } from "./UserReference.js"
import { userColumns } from "./UserText.js"

const user = textArgument("user", "Id or email address of the user")

const list = projectCommand(
  "list",
  "List the users with access to a project (admin)",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns: userColumns,
      empty: "No users.",
      page: (query) => client.members.list(project, query),
      items: ({ users }) => users,
      stream: (query) => client.members.stream(project, query),
    })
  },
)

const add = projectCommand(
  "add",
  "Add a user to a project (admin)",
  { user },
  function* (choice, { client, project }) {
    const id = yield* findUser(client, choice.user)
    yield* client.members.add(project, id)
    yield* note(`User ${id} is a member of project ${project}.`)
  },
)

const remove = projectCommand(
  "remove",
  "Remove a user from a project (admin)",
  { user },
  function* (choice, { client, project }) {
    const id = yield* findMember(client, project, choice.user)
    yield* client.members.remove(project, id)
    yield* note(`User ${id} is no longer a member of project ${project}.`)
  },
)

export const members = Command.make("members").pipe(
  Command.withDescription("Manage access to a project"),
  Command.withSubcommands([list, add, remove]),
)
