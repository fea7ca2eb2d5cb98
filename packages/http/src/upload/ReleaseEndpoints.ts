/** Releases with their commits and deploys, below an organization or a project. */
import { type AuthorizedProject, ReleaseNotFound, Releases } from "@errata/core"
import { DateTime, Effect } from "effect"
import * as CalledBody from "./CalledBody.js"
import * as CalledProjects from "./CalledProjects.js"
import { nextPage, pageOf } from "./Listing.js"
import * as Bodies from "./ReleaseBodies.js"
import { commitDocument, deployDocument, releaseDocument } from "./ReleaseDocuments.js"
import { created, noContent, ok } from "./UploadAnswer.js"
import { BadBody, type UploadCall, type UploadHandler, type UploadRoute } from "./UploadCall.js"

/** Updates the version in the body or in the path, or creates it. */
const upsert = Effect.fnUntraced(function* (call: UploadCall, body: Bodies.ReleaseBody, version: string) {
  const releases = yield* Releases
  const projects = yield* CalledProjects.withVersion("releases.change", call, version, body.projects)
  if (projects.length === 0) return yield* new BadBody({ reason: unknownVersion(version) })
  const changed = yield* releases.upsert(projects, version, Bodies.changeOf(body))
  return releaseDocument(changed, projectsOf(projects))
})

const create: UploadHandler = (call) =>
  CalledBody.use(call, "releases.change", Bodies.ReleaseBody, (body) =>
    Effect.gen(function* () {
      const { version } = body
      if (version === undefined || version === null) {
        return yield* new BadBody({ reason: "version is missing" })
      }
      return created(yield* upsert(call, body, version))
    }),
  )

const update: UploadHandler = (call) =>
  CalledBody.use(call, "releases.change", Bodies.ReleaseBody, (body) =>
    Effect.map(upsert(call, body, call.params["version"]!), (document) => ok(document)),
  )

const get: UploadHandler = (call) =>
  Effect.gen(function* () {
    const releases = yield* Releases
    const version = call.params["version"]!
    const projects = yield* CalledProjects.withVersion("releases.read", call, version)
    const found = yield* releases.findCounted(projects, version)
    if (found.length === 0) return yield* new ReleaseNotFound({ release: version })
    return ok(releaseDocument(found, projectsOf(projects)))
  })

const remove: UploadHandler = (call) =>
  Effect.gen(function* () {
    const releases = yield* Releases
    const version = call.params["version"]!
    const projects = yield* CalledProjects.withVersion("project.administer", call, version)
    yield* releases.remove(projects, version)
    return noContent
  })

/** Below a project, lists page by page. Below an organization, lists the newest releases of each project. */
const list: UploadHandler = (call) =>
  Effect.gen(function* () {
    const releases = yield* Releases
    const wanted = call.query.getAll("project")
    const projects =
      call.params["project"] === undefined && wanted.length === 0
        ? yield* CalledProjects.visible("releases.read")
        : yield* CalledProjects.named("releases.read", call, wanted)
    const [only] = projects
    if (only !== undefined && projects.length === 1) {
      const page = yield* releases.list(only, { version: null }, pageOf(call))
      return ok(
        page.items.map((release) => releaseDocument([release], [only.project])),
        nextPage(call, page),
      )
    }
    const byVersion = new Map<string, Array<Parameters<typeof releaseDocument>[0][number]>>()
    for (const project of projects) {
      for (const counted of (yield* releases.list(project, { version: null }, { limit: 100, cursor: null }))
        .items) {
        const { version } = counted.release
        byVersion.set(version, [...(byVersion.get(version) ?? []), counted])
      }
    }
    return ok(
      [...byVersion.values()]
        .map((some) => releaseDocument(some, projectsOf(projects)))
        .sort((a, b) => Number(b.id) - Number(a.id))
        .slice(0, 100),
    )
  })

const deploy: UploadHandler = (call) =>
  CalledBody.use(call, "releases.change", Bodies.DeployBody, (body) =>
    Effect.gen(function* () {
      const releases = yield* Releases
      const version = call.params["version"]!
      const projects = yield* CalledProjects.withVersion("releases.change", call, version, body.projects)
      if (projects.length === 0) return yield* new BadBody({ reason: unknownVersion(version) })
      const [made] = yield* releases.deploy(projects, version, Bodies.deployOf(body, yield* DateTime.now))
      return created(deployDocument(made!))
    }),
  )

/** Lists commits or deploys of a version, from the first project that has it. */
const listOf = <A>(
  read: (
    releases: Releases["Service"],
    project: AuthorizedProject<"releases.read">,
    id: Parameters<Releases["Service"]["deploys"]>[1],
  ) => ReturnType<Releases["Service"]["deploys"]> | ReturnType<Releases["Service"]["commits"]>,
  document: (item: A) => unknown,
): UploadHandler => {
  return (call) =>
    Effect.gen(function* () {
      const releases = yield* Releases
      const version = call.params["version"]!
      const projects = yield* CalledProjects.withVersion("releases.read", call, version)
      const [release] = yield* releases.findVersion(projects, version)
      const project = projects.find((authorized) => authorized.project.id === release?.projectId)
      if (release === undefined || project === undefined)
        return yield* new ReleaseNotFound({ release: version })
      const items: ReadonlyArray<unknown> = yield* read(releases, project, release.id)
      return ok(items.map((item) => document(item as A)))
    })
}

const deploys = listOf((releases, project, id) => releases.deploys(project, id), deployDocument)
const commits = listOf((releases, project, id) => releases.commits(project, id), commitDocument)

const scopes = ["organizations/:organization", "projects/:organization/:project"]

export const routes: ReadonlyArray<UploadRoute> = scopes.flatMap((scope): ReadonlyArray<UploadRoute> => {
  const all = `${scope}/releases`
  const one = `${all}/:version`
  return [
    { method: "GET", path: all, handle: list },
    { method: "POST", path: all, handle: create },
    { method: "GET", path: one, handle: get },
    { method: "PUT", path: one, handle: update },
    { method: "DELETE", path: one, handle: remove },
    { method: "GET", path: `${one}/deploys`, handle: deploys },
    { method: "POST", path: `${one}/deploys`, handle: deploy },
    { method: "GET", path: `${one}/commits`, handle: commits },
    // With an empty response, the client finds the commits and sends them all.
    { method: "GET", path: `${one}/previous-with-commits`, handle: () => Effect.succeed(ok({})) },
  ]
})

// internal

const projectsOf = (
  projects: ReadonlyArray<AuthorizedProject<"releases.change"> | AuthorizedProject<"releases.read">>,
) => projects.map(({ project }) => project)

const unknownVersion = (version: string): string =>
  `No project of yours has a release '${version.slice(0, 200)}'. Name its projects in the request`
