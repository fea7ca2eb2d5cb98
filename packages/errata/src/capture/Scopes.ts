/** The scopes of an instance: one for the process, and one for each piece of work that `withScope` runs. */
import { AsyncLocalStorage } from "node:async_hooks"
import { OwnScope, type Scope } from "./Scope.js"

/** Runs a function with its own scope. */
export interface WithScope {
  <A>(callback: (scope: Scope) => A): A
  /** Runs it with a scope that an earlier call made. */
  <A>(scope: Scope, callback: (scope: Scope) => A): A
}

/** Changes the current scope: that of the innermost `withScope`, or the one of the process. */
export type ScopeSetters = {
  readonly [Name in
    | "setUser"
    | "setTag"
    | "setTags"
    | "setContext"
    | "setExtra"
    | "setExtras"
    | "addBreadcrumb"]: (...args: Parameters<Scope[Name]>) => void
}

export class Scopes {
  private readonly active = new AsyncLocalStorage<OwnScope>()
  private readonly ofProcess: OwnScope

  constructor(now: () => number) {
    this.ofProcess = new OwnScope(now)
  }

  get current(): OwnScope {
    return this.active.getStore() ?? this.ofProcess
  }

  readonly with: WithScope = <A>(first: Scope | ((scope: Scope) => A), second?: (scope: Scope) => A): A => {
    const [scope, callback] =
      typeof first === "function" ? [this.current.copy(), first] : [this.own(first), second!]
    return this.active.run(scope, () => callback(scope))
  }

  /** The functions that change the current scope. */
  readonly setters: ScopeSetters = {
    setUser: (...args) => void this.current.setUser(...args),
    setTag: (...args) => void this.current.setTag(...args),
    setTags: (...args) => void this.current.setTags(...args),
    setContext: (...args) => void this.current.setContext(...args),
    setExtra: (...args) => void this.current.setExtra(...args),
    setExtras: (...args) => void this.current.setExtras(...args),
    addBreadcrumb: (...args) => void this.current.addBreadcrumb(...args),
  }

  // internal

  private own(scope: Scope): OwnScope {
    if (scope instanceof OwnScope) return scope
    throw new TypeError("withScope accepts a function, or a scope that withScope made and a function")
  }
}
