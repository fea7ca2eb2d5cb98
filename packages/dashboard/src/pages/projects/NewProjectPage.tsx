import { Page } from "../../parts/Page.js"

export const NewProjectPage = () => <Page title="NewProjectPage">Soon.</Page>
