/** The parts of reports that an application knows before an error happens. */
import type {
  CaptureBreadcrumb,
  CaptureContext,
  CaptureRequest,
  CaptureUser,
  Severity,
} from "@errata/effect/capture"

/** A value, or a function that returns it when an error is captured. */
export type Lazy<A> = A | (() => A | undefined)

/** The value of a tag. */
export type TagValue = string | number | boolean

/** Parts of reports that are set before an error happens. Each function returns the scope. */
export interface Scope {
  /** Sets the user; null removes it. */
  readonly setUser: (user: CaptureUser | null) => Scope
  /** Sets a tag; null removes it. A scope keeps the latest 100 tags. */
  readonly setTag: (key: string, value: TagValue | null | undefined) => Scope
  /** Sets several tags. */
  readonly setTags: (tags: Readonly<Record<string, TagValue | null | undefined>>) => Scope
  /** Sets an object by its name, e.g. `setContext("order", { id: 7 })`; null removes it. */
  readonly setContext: (name: string, context: Readonly<Record<string, unknown>> | null) => Scope
  /** Sets a single value; undefined removes it. */
  readonly setExtra: (key: string, value: unknown) => Scope
  /** Sets several single values. */
  readonly setExtras: (extras: Readonly<Record<string, unknown>>) => Scope
  /** Adds an event that happened before the error. A scope keeps the latest 100. */
  readonly addBreadcrumb: (breadcrumb: CaptureBreadcrumb) => Scope
  /** Sets the request, or a function that reads it when an error is captured; null removes it. */
  readonly setRequest: (request: Lazy<CaptureRequest> | null) => Scope
  /** Sets the name of the work, e.g. `GET /orders/:id`, or a function that returns it; null removes it. */
  readonly setTransactionName: (name: Lazy<string> | null) => Scope
  /** Sets the parts that decide the group; null removes them. */
  readonly setFingerprint: (fingerprint: ReadonlyArray<string> | null) => Scope
  /** Sets the severity of reports whose context has none; null removes it. */
  readonly setLevel: (level: Severity | null) => Scope
}

/** The implementation of scopes, which reports read. */
export class OwnScope implements Scope {
  /** The request or job that the scope and its copies belong to, or null for the process. */
  readonly work: object | null
  private readonly tags: Map<string, TagValue>
  private readonly contexts: Map<string, Readonly<Record<string, unknown>>>
  private readonly extra: Map<string, unknown>
  private readonly breadcrumbs: Array<CaptureBreadcrumb>
  private user: CaptureUser | null
  private request: Lazy<CaptureRequest> | null
  private transaction: Lazy<string> | null
  private fingerprint: ReadonlyArray<string> | null
  private level: Severity | null

  /** An empty scope, or a copy of another one. */
  constructor(
    private readonly now: () => number,
    from?: OwnScope,
  ) {
    this.work = from === undefined ? null : (from.work ?? {})
    this.tags = new Map(from?.tags)
    this.contexts = new Map(from?.contexts)
    this.extra = new Map(from?.extra)
    this.breadcrumbs = from?.breadcrumbs.slice() ?? []
    this.user = from?.user ?? null
    this.request = from?.request ?? null
    this.transaction = from?.transaction ?? null
    this.fingerprint = from?.fingerprint ?? null
    this.level = from?.level ?? null
  }

  copy(): OwnScope {
    return new OwnScope(this.now, this)
  }

  setUser(user: CaptureUser | null): this {
    this.user = user
    return this
  }

  setTag(key: string, value: TagValue | null | undefined): this {
    put(this.tags, key, value)
    return this
  }

  setTags(tags: Readonly<Record<string, TagValue | null | undefined>>): this {
    for (const [key, value] of Object.entries(tags)) put(this.tags, key, value)
    return this
  }

  setContext(name: string, context: Readonly<Record<string, unknown>> | null): this {
    put(this.contexts, name, context)
    return this
  }

  setExtra(key: string, value: unknown): this {
    put(this.extra, key, value)
    return this
  }

  setExtras(extras: Readonly<Record<string, unknown>>): this {
    for (const [key, value] of Object.entries(extras)) put(this.extra, key, value)
    return this
  }

  addBreadcrumb(breadcrumb: CaptureBreadcrumb): this {
    this.breadcrumbs.push({ ...breadcrumb, timestamp: breadcrumb.timestamp ?? new Date(this.now()) })
    if (this.breadcrumbs.length > maxBreadcrumbs) this.breadcrumbs.shift()
    return this
  }

  setRequest(request: Lazy<CaptureRequest> | null): this {
    this.request = request
    return this
  }

  setTransactionName(name: Lazy<string> | null): this {
    this.transaction = name
    return this
  }

  setFingerprint(fingerprint: ReadonlyArray<string> | null): this {
    this.fingerprint = fingerprint
    return this
  }

  setLevel(level: Severity | null): this {
    this.level = level
    return this
  }

  /** A context with the parts of the scope that it does not have itself. */
  completed(context: CaptureContext): CaptureContext {
    return {
      ...context,
      severity: context.severity ?? this.level ?? undefined,
      user: context.user ?? this.user ?? undefined,
      request: context.request ?? valueOf(this.request),
      transaction: context.transaction ?? valueOf(this.transaction),
      fingerprint: context.fingerprint ?? this.fingerprint ?? undefined,
      tags: { ...Object.fromEntries(this.tags), ...context.tags },
      contexts: { ...Object.fromEntries(this.contexts), ...context.contexts },
      extra: joined(this.extra, context.extra),
      breadcrumbs: latest([...this.breadcrumbs, ...(context.breadcrumbs ?? [])]),
    }
  }
}

// internal

const maxBreadcrumbs = 100
const maxNames = 100

/** Null and undefined remove a name. The oldest name makes room for a new one. */
const put = <A>(map: Map<string, A>, name: string, value: A | null | undefined): void => {
  map.delete(name)
  if (value === null || value === undefined) return
  map.set(name, value)
  if (map.size > maxNames) map.delete(map.keys().next().value!)
}

/** Functions of the application may fail. The report is then stored without their value. */
const valueOf = <A extends object | string>(lazy: Lazy<A> | null): A | undefined => {
  if (typeof lazy !== "function") return lazy ?? undefined
  try {
    return (lazy as () => A | undefined)()
  } catch {
    return undefined
  }
}

const joined = (extra: ReadonlyMap<string, unknown>, more: CaptureContext["extra"]) =>
  extra.size === 0 ? more : { ...Object.fromEntries(extra), ...more }

const latest = (breadcrumbs: ReadonlyArray<CaptureBreadcrumb>) =>
  breadcrumbs.length === 0 ? undefined : breadcrumbs.slice(-maxBreadcrumbs)
