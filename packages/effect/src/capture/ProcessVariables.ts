/** The release and the environment of a process, from the variables that platforms set. */

type Variables = Readonly<Record<string, string | undefined>>

/** The value of the first variable that is set. */
export const releaseOf = (variables: Variables): string | undefined => firstOf(variables, releases)

/** The environment from the usual variables, such as `NODE_ENV`. */
export const environmentOf = (variables: Variables): string | undefined => firstOf(variables, environments)

// internal

const firstOf = (variables: Variables, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => variables[name]?.trim()).find((value) => value !== undefined && value !== "")

const environments = ["ERRATA_ENVIRONMENT", "SENTRY_ENVIRONMENT", "NODE_ENV"]

/** Most of these are set by a host or a build of the application, with the commit as their value. */
const releases = [
  "ERRATA_RELEASE",
  "SENTRY_RELEASE",
  // Hosts
  "VERCEL_GIT_COMMIT_SHA",
  "HEROKU_SLUG_COMMIT",
  "HEROKU_BUILD_COMMIT",
  "RENDER_GIT_COMMIT",
  "RAILWAY_GIT_COMMIT_SHA",
  "CF_PAGES_COMMIT_SHA",
  "COMMIT_REF",
  "SOURCE_VERSION",
  // Builds
  "GITHUB_SHA",
  "CI_COMMIT_SHA",
  "BITBUCKET_COMMIT",
  "CIRCLE_SHA1",
  "BUILD_SOURCEVERSION",
  "CODEBUILD_RESOLVED_SOURCE_VERSION",
  "TRAVIS_COMMIT",
  "GIT_COMMIT",
]
