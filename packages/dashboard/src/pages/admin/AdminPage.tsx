/** The pages about the whole instance: a list of them, and the open page. */
import type { ComponentChildren } from "preact"
import { allAdminPages, useAdminPages } from "../../data/adminPages.js"
import { useMyself } from "../../data/me.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { MissingPage } from "../MissingPage.js"
import { Apps } from "./Apps.js"
import { Health } from "./Health.js"
import { Ingest } from "./Ingest.js"
import { People } from "./People.js"
import { RetentionPage } from "./Retention.js"
import "../../styles/parts.css"
import "../../styles/settings.css"
import "../../styles/admin.css"

export const AdminPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const slug = params["section"] ?? "people"
  const { data: me, error } = useMyself()
  const pages = useAdminPages()
  const page = allAdminPages.find((page) => page.slug === slug)
  const content = contents[slug]
  if (page === undefined || content === undefined) return <MissingPage />
  return (
    <Page
      // Another page gets the focus on its heading.
      key={slug}
      title={page.title}
      layout={(heading) => (
        <div class="settings">
          {pages.length > 0 && (
            <nav class="settings-nav" aria-label="Settings of the instance">
              {pages.map(({ slug, title }) => (
                <Link
                  key={slug}
                  to={`settings/${slug}`}
                  aria-current={slug === page.slug ? "page" : undefined}
                >
                  {title}
                </Link>
              ))}
            </nav>
          )}
          <div class="settings-body">
            {heading}
            {pages.includes(page) ? (
              content()
            ) : me !== undefined ? (
              <AdminsOnly />
            ) : error !== null ? (
              <Problem title="Your account was not loaded." error={error} />
            ) : (
              <Skeleton label="the settings" />
            )}
          </div>
        </div>
      )}
    >
      {null}
    </Page>
  )
}

// internal

const contents: Readonly<Record<string, () => ComponentChildren>> = {
  people: () => <People />,
  apps: () => <Apps />,
  retention: () => <RetentionPage />,
  ingest: () => <Ingest />,
  health: () => <Health />,
}

const AdminsOnly = () => (
  <p class="nothing">
    Only admins can see this page. <Link to="projects">Your projects</Link>
  </p>
)
