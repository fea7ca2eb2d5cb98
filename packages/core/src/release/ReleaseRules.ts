/** Validation rules and limits of releases. */
import { isMoment } from "../validation/Moment.js"
import { isStorable, notStorable, tooLong, toStorable } from "../validation/StorableText.js"
import type { NewDeploy, ReleaseChange, ReleaseCommit } from "./Release.js"

/** Maximum number of releases that build tools can create in a project. */
export const maxReleases = 100_000

/** Number of deploys kept per release, newest first. */
export const maxDeploys = 1_000

/** Number of commits kept per release, in the given order. */
export const maxCommits = 1_000

/** Problems with a change, by field. */
export const changeProblems = (change: ReleaseChange): Readonly<Record<string, string | null>> => ({
  ref: textProblem(change.ref ?? null, 250),
  url: urlProblem(change.url ?? null),
  startedAt: momentProblem(change.startedAt ?? null),
  releasedAt: momentProblem(change.releasedAt ?? null),
  refs: refsProblem(change.refs ?? []),
})

/** Problems with a deploy, by field. */
export const deployProblems = (deploy: NewDeploy): Readonly<Record<string, string | null>> => ({
  environment: deploy.environment.trim() === "" ? "can't be blank" : textProblem(deploy.environment, 64),
  name: textProblem(deploy.name, 200),
  url: urlProblem(deploy.url),
  startedAt: momentProblem(deploy.startedAt),
  finishedAt: momentProblem(deploy.finishedAt),
})

/** The commits to store. Long texts are cut, so that they do not fail a build. */
export const keptCommits = (commits: ReadonlyArray<ReleaseCommit>): ReadonlyArray<ReleaseCommit> =>
  commits.slice(0, maxCommits).map(
    (commit): ReleaseCommit => ({
      id: cut(commit.id, 64) ?? "",
      repository: cut(commit.repository, 200),
      message: cut(commit.message, 4_096),
      authorName: cut(commit.authorName, 200),
      authorEmail: cut(commit.authorEmail, 254),
      committedAt:
        commit.committedAt !== null && isMoment(commit.committedAt.epochMilliseconds)
          ? commit.committedAt
          : null,
    }),
  )

// internal

const maxRefs = 100

const textProblem = (text: string | null, maximum: number): string | null => {
  if (text === null) return null
  if (!isStorable(text)) return notStorable
  return text.length > maximum ? tooLong(maximum) : null
}

// URLs become links, and other schemes could run scripts.
const urlProblem = (url: string | null): string | null =>
  url === null || url === ""
    ? null
    : (textProblem(url, 2_000) ??
      (/^https?:\/\//i.test(url) && URL.canParse(url) ? null : "must be an http or https URL"))

const momentProblem = (moment: { readonly epochMilliseconds: number } | null): string | null =>
  moment === null || isMoment(moment.epochMilliseconds) ? null : "must be between the years 0 and 9999"

const refsProblem = (
  refs: ReadonlyArray<{ repository: string; commit: string; previousCommit: string | null }>,
) => {
  if (refs.length > maxRefs) return `must have at most ${maxRefs} entries`
  for (const { commit, previousCommit, repository } of refs) {
    const problem = textProblem(repository, 200) ?? textProblem(commit, 64) ?? textProblem(previousCommit, 64)
    if (problem !== null) return problem
    if (repository === "" || commit === "") return "must each have a repository and a commit"
  }
  return null
}

const cut = (text: string | null, maximum: number): string | null =>
  text === null ? null : toStorable(text.slice(0, maximum))
