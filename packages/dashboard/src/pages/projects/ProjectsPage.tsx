import { Page } from "../../parts/Page.js"

export const ProjectsPage = () => <Page title="ProjectsPage">Soon.</Page>
