import { Page } from "../../parts/Page.js"

export const GroupPage = () => <Page title="GroupPage">Soon.</Page>
