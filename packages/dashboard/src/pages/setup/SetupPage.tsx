import { Page } from "../../parts/Page.js"

export const SetupPage = () => <Page title="SetupPage">Soon.</Page>
