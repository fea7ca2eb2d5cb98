/** The caller and its permissions, in the API. */
import { type Actor, Actor as Actors } from "@errata/core/access"
import { Schema } from "effect"
import { flag, int, text, textOrNull } from "./Fields.js"
import { described, named } from "./Json.js"

const can = (of: string) =>
  described(`Names of the access rules ${of} that the caller passes`, Schema.Array(Schema.String))

/** The caller with their rights, as REST shows it. */
export const MeView = Schema.Struct({
  user: described(
    "The user whose credential it is. Null for calls within the process without a user",
    Schema.NullOr(
      Schema.Struct({
        id: int("Id of the user"),
        name: text("Name of the user"),
        email_address: text("Email address"),
        admin: flag("True for admins"),
      }),
    ),
  ),
  instance: described(
    "The instance that responds",
    Schema.Struct({
      version: text("Version of Errata"),
      base_url: textOrNull("Address of the instance. Null if unknown"),
      service_name: text("Service name in the paths of the API"),
    }),
  ),
  can: can("about the instance"),
}).pipe(
  named("Me", {
    user: { id: 3, name: "Operator", email_address: "operator@example.com", admin: false },
    instance: { version: "0.1.0", base_url: "https://errata.example.com", service_name: "service" },
    can: ["projects.list", "account.change", "apps.list", "chunks.upload"],
  }),
)
export type MeView = typeof MeView.Type

/** The rights of the caller in a project. */
export const ProjectAccessView = Schema.Struct({ can: can("about the project") }).pipe(
  named("ProjectAccess", { can: ["project.read", "groups.read", "groups.change"] }),
)
export type ProjectAccessView = typeof ProjectAccessView.Type

export const meView = (actor: Actor, instance: MeView["instance"], can: ReadonlyArray<string>): MeView => ({
  user: Actors.$match(actor, {
    System: () => null,
    Person: ({ user: { emailAddress, id, name, role } }) => ({
      id,
      name,
      email_address: emailAddress,
      admin: role === "admin",
    }),
  }),
  instance,
  can,
})
