/** Validates users' input for targets. */
import { DateTime, Effect, Option } from "effect"
import * as WebUrl from "../group/WebUrl.js"
import type { Project } from "../project/Project.js"
import { isStorable, notStorable, textProblem, tooLong } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import type { Notification } from "./Notification.js"
import type { NotificationTarget, TargetAddress } from "./NotificationTarget.js"
import type { QuietHours, Target } from "./Target.js"

/** The fields that every target has. */
export interface NamedTarget {
  readonly kind: string
  readonly name: string
  readonly quietHours: QuietHours | null
}

/** An address, with its secrets apart. */
export interface CheckedAddress {
  readonly address: TargetAddress
  readonly secrets: TargetAddress
}

/** Checks name and quiet hours. */
export const checkNames = (input: NamedTarget): Effect.Effect<object, ValidationError> =>
  Effect.as(ValidationError.ensure(namesProblems(input)), {})

/**
 * Checks a target. Fields of the address that are not given are those of `stored`; an empty text clears an optional one. Errors of
 * an address have names such as `address.url`.
 */
export const checker =
  (kinds: ReadonlyArray<NotificationTarget>, hasBaseUrl: boolean) =>
  (
    input: NamedTarget & { readonly address: TargetAddress },
    stored: TargetAddress,
  ): Effect.Effect<CheckedAddress, ValidationError> =>
    Effect.gen(function* () {
      const kind = kinds.find((one) => one.kind === input.kind)
      if (kind === undefined) {
        const known = kinds.map((one) => one.kind).join(", ")
        return yield* ValidationError.of(
          "kind",
          known === "" ? "this instance has no kinds of targets" : `must be one of ${known}`,
        )
      }
      if (kind.requiresBaseUrl === true && !hasBaseUrl) {
        return yield* ValidationError.of(
          "kind",
          "needs the base URL of this instance for its links: set ERRATA_BASE_URL first",
        )
      }
      const whole = Object.fromEntries(
        Object.entries({ ...stored, ...input.address }).filter(([, value]) => value !== ""),
      )
      yield* ValidationError.ensure({ ...namesProblems(input), ...addressProblems(kind, whole) })
      return apart(kind, whole)
    })

/** The content of a test message. */
export const testOf = (
  { id, name }: Target,
  project: Project,
  webAddress: string | null,
  now: DateTime.Utc,
): Notification => ({
  version: 1,
  id: `${project.id}-test-${id}-${now.epochMilliseconds}`,
  kind: "test",
  at: now,
  project: { id: project.id, name: project.name, url: WebUrl.projectUrl(webAddress, project.id) },
  rule: null,
  reason: `Test message for the target "${name}"`,
  group: null,
  sections: [],
  settingsUrl: WebUrl.alertsUrl(webAddress, project.id),
})

// internal

const maxNameLength = 100
const maxValueLength = 4_000
const maxFields = 20

const namesProblems = ({ name, quietHours }: NamedTarget) => ({
  name: textProblem(name, maxNameLength),
  quietHours: quietHours === null ? null : quietHoursProblem(quietHours),
})

const quietHoursProblem = ({ from, timezone, to }: QuietHours): string | null => {
  if (!isMinute(from) || !isMinute(to)) return "must be times of the day"
  if (from === to) return "must not end when they begin"
  const isTimezone = /^[A-Za-z]/.test(timezone) && Option.isSome(DateTime.zoneMakeNamed(timezone))
  return isTimezone ? null : "must have an IANA time zone name"
}

const isMinute = (minute: number): boolean => Number.isInteger(minute) && minute >= 0 && minute < 24 * 60

const addressProblems = (kind: NotificationTarget, address: TargetAddress): Record<string, string | null> => {
  const known = new Map(kind.fields.map((field) => [field.name, field]))
  const names = Object.keys(address).slice(0, maxFields)
  const problems: Record<string, string | null> = {}
  for (const name of names) problems[`address.${name}`] = valueProblem(known.has(name), address[name] ?? "")
  for (const { isRequired, name } of kind.fields) {
    if (isRequired && address[name] === undefined) problems[`address.${name}`] = "can't be blank"
  }
  if (Object.values(problems).some((problem) => problem !== null)) return problems
  for (const [name, problem] of Object.entries(kind.check(address))) problems[`address.${name}`] = problem
  return problems
}

const valueProblem = (isKnown: boolean, value: string): string | null => {
  if (!isKnown) return "is not a field of this kind"
  if (!isStorable(value)) return notStorable
  return value.length > maxValueLength ? tooLong(maxValueLength) : null
}

const apart = (kind: NotificationTarget, whole: TargetAddress): CheckedAddress => {
  const isSecret = new Set(kind.fields.filter((field) => field.isSecret).map(({ name }) => name))
  const entries = Object.entries(whole)
  return {
    address: Object.fromEntries(entries.filter(([name]) => !isSecret.has(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => isSecret.has(name))),
  }
}
