import { Cause, Context, DateTime, Effect, Layer, Schema } from "effect"
import { AccessPolicy, type AuthorizedProject, type ProjectRule } from "../access/AccessPolicy.js"
import { ProjectReferences } from "../access/ProjectReferences.js"
import { releaseProblem } from "../artifact/ArtifactNames.js"
import type { ArtifactStore } from "../artifact/ArtifactStore.js"
import { purgeOldReleases } from "../artifact/OldReleases.js"
import type { PolicyStore } from "../policy/PolicyStore.js"
import type { ProjectId } from "../project/Project.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { toStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import type {
  CountedRelease,
  NewDeploy,
  Release,
  ReleaseAppearance,
  ReleaseChange,
  ReleaseId,
} from "./Release.js"
import { changeProblems, deployProblems, keptCommits, maxDeploys, maxReleases } from "./ReleaseRules.js"
import { ReleaseStore } from "./ReleaseStore.js"

/** The project has no such release. */
export class ReleaseNotFound extends Schema.TaggedError<ReleaseNotFound>()("ReleaseNotFound", {
  release: Schema.Union([Schema.Number, Schema.String]),
}) {}

/** Manages releases, which build tools and events create. */
export class Releases extends Context.Service<Releases>()("@errata/core/release/Releases", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const releases = yield* ReleaseStore
    const access = yield* AccessPolicy
    const references = yield* ProjectReferences
    const stores = yield* Effect.context<ArtifactStore | PolicyStore>()

    /** Releases with their counts, newest first, optionally of an exact version. */
    const list = Effect.fn("Releases.list")(function* (
      { project }: AuthorizedProject<"releases.read">,
      options: { readonly version: string | null },
      page: Page.PageRequest,
    ) {
      const checked = yield* Page.checked(page)
      const found =
        options.version === null
          ? yield* releases.list(project.id, checked)
          : Page.fromRows(
              (yield* releases.findVersion([project.id], toStorable(options.version))).filter(
                ({ id }) => checked.cursor === null || id < checked.cursor,
              ),
              checked,
            )
      return { ...found, items: yield* counted(project.id, found.items) }
    })

    /**
     * The open ones of the newest 50 releases, the last that appeared first. Without counts, which take long in projects
     * with many groups.
     */
    const newest = Effect.fn("Releases.newest")(function* ({ project }: AuthorizedProject<"releases.read">) {
      const { items } = yield* releases.list(project.id, { limit: newestCount, cursor: null })
      return items
        .filter(({ status }) => status === "open")
        .map(
          ({ createdAt, firstSeenAt, id, lastDeployedAt, version }): ReleaseAppearance => ({
            id,
            version,
            appearedAt: lastDeployedAt ?? firstSeenAt ?? createdAt,
          }),
        )
        .sort((a, b) => b.appearedAt.epochMilliseconds - a.appearedAt.epochMilliseconds)
    })

    const get = Effect.fn("Releases.get")(function* (
      { project }: AuthorizedProject<"releases.read">,
      id: ReleaseId,
    ) {
      const found = yield* releases.find(project.id, id)
      const release = yield* Effect.fromOption(found, () => new ReleaseNotFound({ release: id }))
      const [one] = yield* counted(project.id, [release])
      return one!
    })

    /** The release of a version in each of the projects that has one. */
    const findVersion = Effect.fn("Releases.findVersion")(function* (
      projects: ReadonlyArray<AuthorizedProject<"releases.read">>,
      version: string,
    ) {
      return releaseProblem(version) !== null
        ? []
        : yield* releases.findVersion(
            projects.map(({ project }) => project.id),
            version,
          )
    })

    /** The actor's projects that have a version. Fails if the rule denies one of them. */
    const projectsWith = Effect.fn("Releases.projectsWith")(function* <Rule extends ProjectRule>(
      rule: Rule,
      version: string,
    ) {
      if (releaseProblem(version) !== null) return []
      const visible = yield* references.visible
      if (visible.length === 0) return []
      const found = yield* releases.findVersion(visible, version)
      return yield* Effect.forEach(found, ({ projectId }) => access.project<Rule>(rule, projectId))
    })

    /** The same with counts. */
    const findCounted = Effect.fn("Releases.findCounted")(function* (
      projects: ReadonlyArray<AuthorizedProject<"releases.read">>,
      version: string,
    ) {
      const found = yield* findVersion(projects, version)
      return (yield* Effect.forEach(found, (release) => counted(release.projectId, [release]))).flat()
    })

    /** A new release can expire the artifacts of older ones. */
    const purgeArtifacts = (projectId: ProjectId) =>
      purgeOldReleases(projectId, {
        newest: (limit) => releases.newestVersions(projectId, limit),
        among: (versions) => releases.knownVersions(projectId, versions),
      }).pipe(
        Effect.provide(stores),
        // The release is stored even if this fails. The next release purges them.
        Effect.catch((error) =>
          Effect.logWarning("Deleting artifacts of old releases failed", Cause.fail(error)),
        ),
        Effect.asVoid,
      )

    /** Changes the release of a version in each project, and creates missing ones. All or nothing. */
    const upsert = Effect.fn("Releases.upsert")(function* (
      projects: ReadonlyArray<AuthorizedProject<"releases.change">>,
      version: string,
      change: ReleaseChange,
    ) {
      yield* ValidationError.ensure({ version: releaseProblem(version), ...changeProblems(change) })
      const kept = {
        ...change,
        url: change.url === "" ? null : change.url,
        commits: change.commits === undefined ? undefined : keptCommits(change.commits),
      }
      // In a fixed order, to prevent deadlocks.
      const ids = [...new Set(projects.map(({ project }) => project.id))].sort((a, b) => a - b)
      return yield* transaction(
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const changed: Array<Release> = []
          for (const projectId of ids) {
            const [known] = yield* releases.findVersion([projectId], version)
            if (known === undefined && (yield* releases.lockCount(projectId)) >= maxReleases) {
              return yield* ValidationError.of(
                "version",
                `can't be created: a project has at most ${maxReleases} releases`,
              )
            }
            const { isNew, release } = yield* releases.upsert(projectId, version, kept, now)
            changed.push(release)
            const isOut = release.releasedAt !== null && (known === undefined || known.releasedAt === null)
            if (isNew || isOut) yield* Transactions.afterCommit(purgeArtifacts(projectId))
          }
          return changed
        }),
      )
    })

    /** Creates the missing releases of a version. Does not change existing ones. */
    const ensure = Effect.fn("Releases.ensure")(function* (
      projects: ReadonlyArray<AuthorizedProject<"releases.change">>,
      version: string,
    ) {
      const known = yield* releases.findVersion(
        projects.map(({ project }) => project.id),
        version,
      )
      const missing = projects.filter(
        ({ project }) => !known.some(({ projectId }) => projectId === project.id),
      )
      if (missing.length > 0) yield* upsert(missing, version, {})
    })

    /** Deletes the releases of a version, except those that reports refer to. */
    const remove = Effect.fn("Releases.remove")(function* (
      projects: ReadonlyArray<AuthorizedProject<"project.administer">>,
      version: string,
    ) {
      yield* ValidationError.ensure({ version: releaseProblem(version) })
      yield* transaction(
        Effect.gen(function* () {
          const found = yield* releases.findVersion(
            projects.map(({ project }) => project.id),
            version,
          )
          if (found.length === 0) return yield* new ReleaseNotFound({ release: version })
          for (const release of found) {
            if (!(yield* releases.removeUnseen(release.projectId, release.id))) {
              return yield* ValidationError.of("version", "has reports and cannot be deleted")
            }
          }
        }),
      )
    })

    /** Commits in the given order. */
    const commits = Effect.fn("Releases.commits")(function* (
      { project }: AuthorizedProject<"releases.read">,
      id: ReleaseId,
    ) {
      return yield* releases.commits(project.id, id)
    })

    /** Newest first. */
    const deploys = Effect.fn("Releases.deploys")(function* (
      { project }: AuthorizedProject<"releases.read">,
      id: ReleaseId,
    ) {
      return yield* releases.deploys(project.id, id)
    })

    /** Records a deploy of a version in each project, and creates missing releases. */
    const deploy = Effect.fn("Releases.deploy")(function* (
      projects: ReadonlyArray<AuthorizedProject<"releases.change">>,
      version: string,
      input: NewDeploy,
    ) {
      yield* ValidationError.ensure(deployProblems(input))
      return yield* transaction(
        Effect.gen(function* () {
          const found = yield* upsert(projects, version, {})
          return yield* Effect.forEach(found, (release) =>
            releases.addDeploy(release.projectId, release.id, input, maxDeploys),
          )
        }),
      )
    })

    const counted = (projectId: Release["projectId"], found: ReadonlyArray<Release>) =>
      Effect.map(
        releases.figures(
          projectId,
          found.map(({ version }) => version),
        ),
        (figures) => found.map((release, i): CountedRelease => ({ release, figures: figures[i]! })),
      )

    return {
      list,
      newest,
      get,
      findVersion,
      projectsWith,
      findCounted,
      upsert,
      ensure,
      remove,
      commits,
      deploys,
      deploy,
    }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(ProjectReferences.Default))
}

// internal

/** Enough for charts of seven days in most projects. */
const newestCount = 50
