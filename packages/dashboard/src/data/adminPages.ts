/** The pages about the whole instance. Callers see those that their rules allow. */
import { useMe } from "./me.js"

export interface AdminPage {
  readonly slug: string
  readonly title: string
  /** The rule of the instance that the page needs. */
  readonly rule: string
  readonly key?: string
}

export const allAdminPages: ReadonlyArray<AdminPage> = [
  { slug: "people", title: "People", rule: "users.read", key: "g s" },
  { slug: "apps", title: "Apps", rule: "apps.administer" },
  { slug: "retention", title: "Retention", rule: "policies.read" },
  { slug: "alerts", title: "Alerts", rule: "policies.read" },
  { slug: "ingest", title: "Ingest protection", rule: "policies.read" },
  { slug: "health", title: "Health", rule: "health.inspect", key: "g h" },
]

/** Returns the pages that the caller may open; none for members. */
export const useAdminPages = (): ReadonlyArray<AdminPage> => {
  const can = useMe()?.can ?? []
  return allAdminPages.filter(({ rule }) => can.includes(rule))
}
