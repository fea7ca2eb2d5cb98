/**
 * Schemas of single settings. Each reads a setting's text, wherever it was written, refuses what it cannot be, and carries
 * what there is to say about it: its default, its bounds and what it is for.
 */
import { Duration, Effect, Option, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as Quantity from "./Quantity.js"

/** What is known of a setting besides its place. */
export interface SettingAbout<A = unknown> {
  readonly description: string
  /** What kind of text it takes. */
  readonly kind: "count" | "bytes" | "duration" | "flag" | "word"
  readonly defaultText: string
  /** The end of the sentence `NAME must be ...`. */
  readonly expected: string
  /** None for a text that it cannot be. */
  readonly parse: (text: string) => Option.Option<A>
}

/** Where a schema of this file keeps it. */
export const aboutSetting = "@errata/core/config/SettingAbout"

interface Bounded {
  readonly default: string
  readonly min: string
  readonly max: string
  readonly description: string
}

/** A whole number. */
export const count = (options: Bounded) => bounded("count", Schema.Number, Number, numbers, options)

/** Bytes; as text `16 MiB`, `64 KiB` or just their number. */
export const bytes = (options: Bounded) => bounded("bytes", Schema.Number, Number, sizes, options)

/** A span of time; as text `5 seconds`, `PT5S` or the number of its milliseconds. */
export const duration = (options: Bounded) =>
  bounded("duration", Schema.Duration, Duration.toMillis, durations, options)

/** A switch; as text `true` or `false`. */
export const flag = (options: { readonly default: boolean; readonly description: string }) =>
  setting(Schema.Boolean, String, {
    kind: "flag",
    description: options.description,
    defaultText: String(options.default),
    expected: "true or false",
    parse: (text) =>
      text === "true" ? Option.some(true) : text === "false" ? Option.some(false) : Option.none(),
  })

/** One of a few words. */
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

/** A word that stands in paths. */
export const word = (options: { readonly default: string; readonly description: string }) =>
  setting(Schema.String, String, {
    kind: "word",
    description: options.description,
    defaultText: options.default,
    expected: "a word of lower-case letters, digits and hyphens",
    parse: (text) => (/^[a-z][a-z0-9-]{0,63}$/.test(text) ? Option.some(text) : Option.none()),
  })

/**
 * A value that is no setting, because no operator would change it: neither files nor the environment can. Programs and
 * tests that provide `ErrataConfig` may.
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
