/** The user, the organization (one, under any name), and the projects of the user. */
import { AccessPolicy, ProjectReferences, Projects } from "@errata/core"
import { Effect } from "effect"
import { nextPage, pageOf } from "./Listing.js"
import { projectDocument } from "./ReleaseDocuments.js"
import { ok } from "./UploadAnswer.js"
import type { UploadCall, UploadHandler, UploadRoute } from "./UploadCall.js"

const userOf = ({ user }: UploadCall) => ({
  id: String(user.id),
  email: user.emailAddress,
  name: user.name,
  username: user.emailAddress,
})

const organizationOf = ({ address, params }: UploadCall) => {
  const slug = params["organization"] ?? "errata"
  return {
    id: "1",
    slug,
    name: "Errata",
    dateCreated: "2000-01-01T00:00:00.000Z",
    isEarlyAdopter: false,
    require2FA: false,
    requireEmailVerification: false,
    features: [],
    links: { organizationUrl: address, regionUrl: address },
  }
}

const root: UploadHandler = (call) =>
  Effect.succeed(
    ok({
      version: "0",
      auth: { scopes: ["project:read", "project:releases", "org:read", "org:ci"] },
      user: userOf(call),
    }),
  )

const projects: UploadHandler = (call) =>
  Effect.gen(function* () {
    const page = yield* (yield* Projects).list(
      yield* AccessPolicy.instance("projects.list"),
      { name: null },
      pageOf(call),
    )
    const organization = organizationOf(call)
    return ok(
      page.items.map((project) => ({ ...projectDocument(project), organization })),
      nextPage(call, page),
    )
  })

const project: UploadHandler = (call) =>
  Effect.gen(function* () {
    const references = yield* ProjectReferences
    const authorized = yield* references.authorize("project.read", call.params["project"]!)
    return ok({ ...projectDocument(authorized.project), organization: organizationOf(call) })
  })

const answer =
  (of: (call: UploadCall) => unknown): UploadHandler =>
  (call) =>
    Effect.succeed(ok(of(call)))

export const routes: ReadonlyArray<UploadRoute> = [
  { method: "GET", path: "", handle: root },
  { method: "GET", path: "auth", handle: answer(userOf) },
  { method: "GET", path: "organizations", handle: answer((call) => [organizationOf(call)]) },
  { method: "GET", path: "organizations/:organization", handle: answer(organizationOf) },
  { method: "GET", path: "organizations/:organization/projects", handle: projects },
  // Without repositories, clients find the commits locally.
  { method: "GET", path: "organizations/:organization/repos", handle: answer(() => []) },
  { method: "GET", path: "projects", handle: projects },
  { method: "GET", path: "projects/:organization/:project", handle: project },
]
