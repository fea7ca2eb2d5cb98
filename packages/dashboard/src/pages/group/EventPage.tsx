import { Page } from "../../parts/Page.js"

export const EventPage = () => <Page title="EventPage">Soon.</Page>
