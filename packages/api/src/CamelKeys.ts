/** The names of the API in snake case, and those of the core in camel case. */

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The same properties with names in camel case. */
export type CamelKeys<A> = { readonly [Key in keyof A as CamelCase<Key>]: A[Key] }

/** Returns an input with the names of the core. Does not change the keys of nested objects. */
export const camelKeys = <A extends object>(body: A): CamelKeys<A> =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [camelCase(key), value])) as CamelKeys<A>

/** Returns `project_id` as `projectId`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
