import { Page } from "../../parts/Page.js"

export const GroupsPage = () => <Page title="GroupsPage">Soon.</Page>
