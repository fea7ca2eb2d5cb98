/** The pages of settings, as one chunk: they share most of their parts, and compress better together. */
export { AdminPage } from "./admin/AdminPage.js"
export { AlertsPage } from "./alerts/AlertsPage.js"
export { DefaultAlertsPage } from "./alerts/DefaultAlertsPage.js"
export { SettingsPage } from "./settings/SettingsPage.js"
