/** The pages about the whole instance. */
import type { ComponentChildren } from "preact"
import { AdminFrame } from "./AdminFrame.js"
import { Apps } from "./Apps.js"
import { Health } from "./Health.js"
import { Ingest } from "./Ingest.js"
import { People } from "./People.js"
import { RetentionPage } from "./Retention.js"

export const AdminPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const slug = params["section"] ?? "people"
  return <AdminFrame slug={slug}>{() => contents[slug]?.()}</AdminFrame>
}

// internal

const contents: Readonly<Record<string, () => ComponentChildren>> = {
  people: () => <People />,
  apps: () => <Apps />,
  retention: () => <RetentionPage />,
  ingest: () => <Ingest />,
  health: () => <Health />,
}
