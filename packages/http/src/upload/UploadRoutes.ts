/** Matches paths to routes. */
import type { UploadRoute } from "./UploadCall.js"

export type FoundRoute =
  | {
      readonly _tag: "Found"
      readonly route: UploadRoute
      readonly params: Readonly<Record<string, string>>
    }
  | { readonly _tag: "OtherMethod"; readonly methods: ReadonlyArray<string> }
  | { readonly _tag: "NotFound" }

/** Looks routes up by method and decoded segments. There are a few dozen: they are tried one after the other. */
export const finder = (routes: ReadonlyArray<UploadRoute>) => {
  const patterns = routes.map((route) => ({
    route,
    segments: route.path === "" ? [] : route.path.split("/"),
  }))
  return (method: string, segments: ReadonlyArray<string>): FoundRoute => {
    const methods: Array<string> = []
    for (const { route, segments: pattern } of patterns) {
      const params = match(pattern, segments)
      if (params === null) continue
      if (route.method === method) return { _tag: "Found", route, params }
      methods.push(route.method)
    }
    return methods.length === 0
      ? { _tag: "NotFound" }
      : { _tag: "OtherMethod", methods: [...new Set(methods)].sort() }
  }
}

// internal

const match = (
  pattern: ReadonlyArray<string>,
  segments: ReadonlyArray<string>,
): Readonly<Record<string, string>> | null => {
  if (pattern.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i]!
    const segment = segments[i]!
    if (expected.startsWith(":")) params[expected.slice(1)] = segment
    else if (expected !== segment) return null
  }
  return params
}
