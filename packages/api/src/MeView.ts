/** The caller and its permissions, in the API. */
import { type Actor, Actor as Actors } from "@errata/core/access"
import { Schema } from "effect"
import { described, named } from "./Json.js"

const can = (of: string) =>
  described(`Names of the access rules ${of} that the caller passes`, Schema.Array(Schema.String))

/** The caller with their rights, as REST shows it. */
export const MeView = Schema.Struct({
  user: described(
    "The user whose credential it is. Null for calls within the process without a user",
    Schema.NullOr(
      Schema.Struct({
        id: described("Id of the user", Schema.Int),
        name: described("Name of the user", Schema.String),
        email_address: described("Email address", Schema.String),
        admin: described("True for admins", Schema.Boolean),
      }),
    ),
  ),
  instance: described(
    "The instance that responds",
    Schema.Struct({
      version: described("Version of Errata", Schema.String),
      base_url: described("Address of the instance. Null if unknown", Schema.NullOr(Schema.String)),
      service_name: described("Service name in the paths of the API", Schema.String),
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
