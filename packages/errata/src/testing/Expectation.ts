/** Expectations of a test on reports. */
import { AssertionError } from "node:assert"
import { titleOf } from "@errata/effect/capture"
import type { TagValue } from "../capture/Scope.js"
import type { ReportDetail } from "../index.js"
import { checkNames } from "../KnownNames.js"

/** A report with its project. */
export type ReportedError = ReportDetail

/**
 * An expected report: a part of its message, a pattern, an error of the same type and message, a class whose name is the
 * type, or exact values of properties.
 */
export type Expected =
  | string
  | RegExp
  | Error
  | (abstract new (
      ...args: never
    ) => Error)
  | {
      readonly type?: string | undefined
      readonly message?: string | RegExp | undefined
      readonly severity?: ReportDetail["severity"] | undefined
      readonly handled?: boolean | undefined
      readonly tags?: Readonly<Record<string, TagValue>> | undefined
      /** `id` is short for `user_id`. */
      readonly user?: (Partial<ReportDetail["user"]> & { readonly id?: string | number }) | undefined
      readonly environment?: string | undefined
      readonly release?: string | undefined
      readonly projectId?: number | undefined
    }

/** True if the report meets the expectation. Throws a TypeError for properties that it does not know. */
export const matches = (expected: Expected, report: ReportDetail): boolean => {
  if (typeof expected === "string") return report.error_message.includes(expected)
  if (expected instanceof RegExp) return isFound(expected, report.error_message)
  if (typeof expected === "function") return report.error_type === expected.name
  if (expected instanceof Error) {
    const { type, value } = titleOf(expected)
    return report.error_type === type && report.error_message === value
  }
  checkNames(expected, properties, "an expected report")
  const { environment, handled, message, projectId, release, severity, tags, type, user } = expected
  return (
    isSame(type, report.error_type) &&
    (message instanceof RegExp
      ? isFound(message, report.error_message)
      : isSame(message, report.error_message)) &&
    isSame(severity, report.severity) &&
    isSame(handled, report.handled) &&
    isSame(environment, report.environment) &&
    isSame(release, report.release_version) &&
    isSame(projectId, report.project_id) &&
    Object.entries(tags ?? {}).every(([key, value]) =>
      report.tags.some((tag) => tag.key === key && tag.value === String(value)),
    ) &&
    Object.entries(user ?? {}).every(([key, value]) =>
      key === "id"
        ? isSame(String(value), report.user.user_id)
        : isSame(value, (report.user as Readonly<Record<string, unknown>>)[key]),
    )
  )
}

/** An assertion error that lists the actual reports. */
export const unmet = (
  what: string,
  expected: unknown,
  reports: ReadonlyArray<ReportDetail>,
  from: Function,
): AssertionError =>
  new AssertionError({
    message: `${what}\n${reports.length === 0 ? "Nothing was reported." : `Reported:\n${reports.map(line).join("\n")}`}`,
    expected,
    actual: reports.map(line),
    operator: "reported",
    stackStartFn: from,
  })

// internal

const properties = [
  "type",
  "message",
  "severity",
  "handled",
  "tags",
  "user",
  "environment",
  "release",
  "projectId",
]

/** `search` ignores `lastIndex`, unlike `test` with the flags g or y. */
const isFound = (pattern: RegExp, text: string): boolean => text.search(pattern) !== -1

const isSame = (expected: unknown, found: unknown): boolean => expected === undefined || expected === found

const line = ({ error_message: message, error_type: type, severity, tags }: ReportDetail): string =>
  `  ${severity} ${type}: ${message}${tags.map(({ key, value }) => ` ${key}=${value}`).join("")}`
