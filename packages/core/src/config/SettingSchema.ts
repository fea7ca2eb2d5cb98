/**
 * Schemas of single settings. Each parses and validates a setting's text, and carries its default, bounds and
 * description.
 */
import { Duration, Effect, Option, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as Quantity from "./Quantity.js"

/** The properties of a setting, except for its path. */
export interface SettingAbout<A = unknown> {
  readonly description: string
  /** The type of text it accepts. */
  readonly kind: "count" | "bytes" | "duration" | "flag" | "word"
  readonly defaultText: string
  /** Completes the message `NAME must be ...`. */
  readonly expected: string
  /** Returns none for an invalid text. */
  readonly parse: (text: string) => Option.Option<A>
}

/** The annotation that holds a `SettingAbout`. */
export const aboutSetting = "@errata/core/config/SettingAbout"

interface Bounded {
  readonly default: string
  readonly min: string
  readonly max: string
  readonly description: string
}

/** A whole number. */
export const count = (options: Bounded) => bounded("count", Schema.Number, Number, numbers, options)

/** A number of bytes. Its text is `16 MiB`, `64 KiB` or a plain number. */
export const bytes = (options: Bounded) => bounded("bytes", Schema.Number, Number, sizes, options)

/** A duration. Its text is `5 seconds`, `PT5S` or a number of milliseconds. */
export const duration = (options: Bounded) =>
  bounded("duration", Schema.Duration, Duration.toMillis, durations, options)

/** A boolean. Its text is `true` or `false`. */
export const flag = (options: { readonly default: boolean; readonly description: string }) =>
  setting(Schema.Boolean, String, {
    kind: "flag",
    description: options.description,
    defaultText: String(options.default),
    expected: "true or false",
    parse: (text) =>
      text === "true" ? Option.some(true) : text === "false" ? Option.some(false) : Option.none(),
  })

/** One of two words. */
export const choice = <const A extends string>(
  values: readonly [A, A],
  options: { readonly default: A; readonly description: string },
): Schema.Codec<A, string> =>
  setting<A>(Schema.Literals(values), String, {
    kind: "word",
    description: options.description,
    defaultText: options.default,
    expected: values.join(" or "),
    parse: (text) => Option.fromNullishOr(values.find((value) => value === text)),
  })

/** A word that can be part of a path. */
export const word = (options: { readonly default: string; readonly description: string }) =>
  setting(Schema.String, String, {
    kind: "word",
    description: options.description,
    defaultText: options.default,
    expected: "a word of lower-case letters, digits and hyphens",
    parse: (text) => (/^[a-z][a-z0-9-]{0,63}$/.test(text) ? Option.some(text) : Option.none()),
  })

/**
 * A fixed value that no operator needs to change. Files and the environment cannot set it; programs and tests that
 * provide `ErrataConfig` can.
 */
export const constant = <A>(value: A) =>
  (Schema.Unknown as Schema.Schema<unknown> as Schema.Codec<A>).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(value), { encodingStrategy: "omit" }),
  )

// internal

interface Units<A> {
  readonly noun: string
  readonly parse: (text: string) => Option.Option<A>
  readonly format: (value: A) => string
}

const numbers: Units<number> = { noun: "whole number", parse: Quantity.parseCount, format: String }
const sizes: Units<number> = {
  noun: "size",
  parse: Quantity.parseBytes,
  format: Quantity.formatBytes,
}
const durations: Units<Duration.Duration> = {
  noun: "duration",
  parse: Quantity.parseDuration,
  format: Quantity.formatDuration,
}

const bounded = <A>(
  kind: SettingAbout["kind"],
  type: Schema.Codec<A, unknown>,
  amount: (value: A) => number,
  units: Units<A>,
  options: Bounded,
): Schema.Codec<A, string> => {
  const at = (text: string) => amount(Option.getOrThrow(units.parse(text)))
  const min = at(options.min)
  const max = at(options.max)
  return setting(type, units.format, {
    kind,
    description: options.description,
    defaultText: options.default,
    expected: `a ${units.noun} from ${options.min} to ${options.max}`,
    parse: (text) =>
      Option.filter(units.parse(text), (value) => amount(value) >= min && amount(value) <= max),
  })
}

const setting = <A>(
  type: Schema.Codec<A, unknown>,
  format: (value: A) => string,
  about: SettingAbout<A>,
): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.toType(type), {
      decode: SchemaGetter.transformEffect((text) =>
        Option.match(about.parse(text.trim()), {
          onNone: () => Effect.fail(new SchemaIssue.InvalidValue({ message: `must be ${about.expected}` })),
          onSome: Effect.succeed,
        }),
      ),
      encode: SchemaGetter.transform(format),
    }),
  ).annotate({ description: about.description, [aboutSetting]: about })
