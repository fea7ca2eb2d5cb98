import { Link } from "../parts/Link.js"
import { Page } from "../parts/Page.js"

export const MissingPage = () => (
  <Page title="Page not found">
    <p>
      There is no page at this address. <Link to="projects">All projects</Link>
    </p>
  </Page>
)
