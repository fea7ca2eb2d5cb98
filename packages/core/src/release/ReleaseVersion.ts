/**
 * Compares the age of two versions of an application by their names. Pure.
 *
 * Names follow Sentry's SDKs: `name@version`, where the version may be semantic with a build, as in `shop@1.2.3+45`.
 * Git hashes and other names have no order.
 */

/**
 * `other` is a version of another application. `unknown` means that the names have no order.
 */
export type VersionAge = "older" | "same" | "newer" | "other" | "unknown"

/** Compares two versions. A version without a name may be of any application. */
export const ageOf = (version: string, than: string): VersionAge => {
  if (version === than) return "same"
  const self = split(version)
  const that = split(than)
  if (self.name !== "" && that.name !== "" && self.name !== that.name) return "other"
  const left = parse(self.version)
  const right = parse(that.version)
  if (left === null || right === null) return "unknown"
  const order = compare(left, right)
  if (order === null) return "unknown"
  if (order === 0) return "same"
  return order < 0 ? "older" : "newer"
}

// internal

/** npm scopes begin with an `@` of their own. */
const split = (release: string): { readonly name: string; readonly version: string } => {
  const at = release.indexOf("@", 1)
  return at === -1 || at === release.length - 1
    ? { name: "", version: release }
    : { name: release.slice(0, at), version: release.slice(at + 1) }
}

interface Semantic {
  readonly numbers: ReadonlyArray<string>
  /** Empty unless it is a pre-release. */
  readonly preRelease: ReadonlyArray<string>
  readonly build: string
}

// A single number may be a git hash. Windows uses four numbers.
const semantic = /^v?(\d+(?:\.\d+){1,3})(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?(?:\+(.*))?$/i

const parse = (version: string): Semantic | null => {
  const match = semantic.exec(version)
  if (match === null) return null
  const [, numbers = "", preRelease, build = ""] = match
  return { numbers: numbers.split("."), preRelease: preRelease?.split(".") ?? [], build }
}

/** Negative if the first is older. Null if only their builds differ and are not numbers. */
const compare = (self: Semantic, that: Semantic): number | null => {
  for (let i = 0; i < 4; i++) {
    const order = compareNumbers(self.numbers[i] ?? "0", that.numbers[i] ?? "0")
    if (order !== 0) return order
  }
  const order = comparePreReleases(self.preRelease, that.preRelease)
  if (order !== 0 || self.build === that.build) return order
  // Semantic versioning ignores builds, but app stores increment them.
  return isNumber(self.build) && isNumber(that.build) ? compareNumbers(self.build, that.build) : null
}

const comparePreReleases = (self: ReadonlyArray<string>, that: ReadonlyArray<string>): number => {
  if (self.length === 0 || that.length === 0) return that.length - self.length
  for (let i = 0; i < Math.min(self.length, that.length); i++) {
    const order = compareIdentifiers(self[i]!, that[i]!)
    if (order !== 0) return order
  }
  return self.length - that.length
}

/** Numbers are lower than words. */
const compareIdentifiers = (self: string, that: string): number => {
  if (isNumber(self) && isNumber(that)) return compareNumbers(self, that)
  if (isNumber(self) !== isNumber(that)) return isNumber(self) ? -1 : 1
  return compareTexts(self, that)
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

/** Compares digits as text, because numbers can exceed the safe integers. */
const compareNumbers = (self: string, that: string): number => {
  const left = self.replace(/^0+/, "")
  const right = that.replace(/^0+/, "")
  return left.length === right.length ? compareTexts(left, right) : left.length - right.length
}

const compareTexts = (self: string, that: string): number => (self === that ? 0 : self < that ? -1 : 1)
