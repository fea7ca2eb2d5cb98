/** Bodies of releases from upload clients. Unknown keys are ignored, and null counts as absent. */

import { DecodeIssues } from "@errata/core/internal"
import type { NewDeploy, ReleaseChange } from "@errata/core/ports"
import { DateTime, Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { BadBody, type UploadCall } from "./UploadCall.js"

/** Ids and slugs. Clients send numeric ids as numbers. */
export const Reference = Schema.Union([Schema.String, Schema.Number])

const Moment = Schema.String.pipe(
  Schema.decodeTo(Schema.DateTimeUtc, {
    decode: SchemaGetter.transformEffect((text, options) => {
      // Clients send nanoseconds; Errata keeps milliseconds.
      const millis = Date.parse(text.replace(/(\.\d{3})\d+/, "$1"))
      return Number.isNaN(millis)
        ? Effect.fail(
            new SchemaIssue.InvalidValue({ message: "is not an ISO 8601 timestamp" }, text, options),
          )
        : Effect.succeed(DateTime.makeUnsafe(millis))
    }),
    encode: SchemaGetter.transform(DateTime.formatIso),
  }),
)

const given = <A, I>(schema: Schema.Codec<A, I>) => Schema.optionalKey(Schema.NullOr(schema))

const Commit = Schema.Struct({
  id: Schema.String,
  repository: given(Schema.String),
  message: given(Schema.String),
  author_name: given(Schema.String),
  author_email: given(Schema.String),
  timestamp: given(Moment),
})

const Ref = Schema.Struct({
  repository: Schema.String,
  commit: Schema.String,
  previousCommit: given(Schema.String),
})

export const ReleaseBody = Schema.Struct({
  version: given(Schema.String),
  projects: given(Schema.Array(Reference)),
  status: given(Schema.Literals(["open", "archived"])),
  ref: given(Schema.String),
  url: given(Schema.String),
  dateStarted: given(Moment),
  dateReleased: given(Moment),
  refs: given(Schema.Array(Ref)),
  commits: given(Schema.Array(Commit)),
})
export type ReleaseBody = typeof ReleaseBody.Type

export const DeployBody = Schema.Struct({
  environment: Schema.String,
  name: given(Schema.String),
  url: given(Schema.String),
  dateStarted: given(Moment),
  dateFinished: given(Moment),
  projects: given(Schema.Array(Reference)),
})

export const AssembleBody = Schema.Struct({
  checksum: Schema.String,
  chunks: Schema.Array(Schema.String),
  projects: given(Schema.Array(Reference)),
  version: given(Schema.String),
  dist: given(Schema.String),
})

export const DebugFilesBody = Schema.Record(
  Schema.String,
  Schema.Struct({
    name: given(Schema.String),
    chunks: Schema.Array(Schema.String),
  }),
)

/** Decodes the body of a call. */
export const read = <A, I>(call: Pick<UploadCall, "json">, schema: Schema.Codec<A, I>) =>
  Effect.flatMap(call.json, (value) =>
    Effect.mapError(
      Schema.decodeUnknownEffect(schema, DecodeIssues.parseOptions)(value),
      (error) => new BadBody({ reason: reasonOf(error).slice(0, maxReasonCharacters) }),
    ),
  )

export const changeOf = (body: ReleaseBody): ReleaseChange => ({
  status: body.status ?? undefined,
  ref: body.ref ?? undefined,
  url: body.url ?? undefined,
  startedAt: body.dateStarted ?? undefined,
  releasedAt: body.dateReleased ?? undefined,
  refs: body.refs?.map(({ commit, previousCommit = null, repository }) => ({
    repository,
    commit,
    previousCommit,
  })),
  commits: body.commits?.map((commit) => ({
    id: commit.id,
    repository: commit.repository ?? null,
    message: commit.message ?? null,
    authorName: commit.author_name ?? null,
    authorEmail: commit.author_email ?? null,
    committedAt: commit.timestamp ?? null,
  })),
})

export const deployOf = (body: typeof DeployBody.Type, now: DateTime.Utc): NewDeploy => ({
  environment: body.environment,
  name: body.name ?? null,
  url: body.url ?? null,
  startedAt: body.dateStarted ?? null,
  finishedAt: body.dateFinished ?? now,
})

// internal

const maxReasonCharacters = 300

// Replaces the library's formatter, which prints the whole value and fails for deeply nested ones.
const reasonOf = (error: Schema.SchemaError): string => {
  const [issue] = DecodeIssues.of(error.issue)
  return `${issue?.path.map(String).join(".") || "The body"}: ${issue?.message ?? "has an unexpected shape"}`
}
