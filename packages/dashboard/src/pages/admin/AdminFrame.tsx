/** The frame of the pages about the whole instance: a list of them, and the open page. */
import type { ComponentChildren } from "preact"
import { allAdminPages, useAdminPages } from "../../data/adminPages.js"
import { useMyself } from "../../data/me.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { MissingPage } from "../MissingPage.js"
import "../../styles/parts.css"
import "../../styles/settings.css"
import "../../styles/admin.css"

export const AdminFrame = ({
  slug,
  title,
  id = slug,
  children,
}: {
  readonly slug: string
  /** The heading. Default: the name of the page. */
  readonly title?: string
  /** Another id is another page: its heading gets the focus. */
  readonly id?: string
  readonly children: () => ComponentChildren
}) => {
  const { data: me, error } = useMyself()
  const pages = useAdminPages()
  const page = allAdminPages.find((page) => page.slug === slug)
  if (page === undefined) return <MissingPage />
  return (
    <Page
      key={id}
      title={title ?? page.title}
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
              children()
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

const AdminsOnly = () => (
  <p class="nothing">
    Only admins can see this page. <Link to="projects">Your projects</Link>
  </p>
)
