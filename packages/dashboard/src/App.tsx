import { LocationProvider, Route, Router, useLocation } from "preact-iso/router"
import { useAdminPages } from "./data/adminPages.js"
import { undo } from "./data/notices.js"
import { href, ownPages } from "./data/root.js"
import { nextTheme } from "./data/settings.js"
import { useKeys } from "./keys/Keys.js"
import { GroupPages } from "./pages/GroupPages.js"
import { MissingPage } from "./pages/MissingPage.js"
import { Boundary } from "./parts/Boundary.js"
import { Frame } from "./parts/Frame.js"
import { Help, openHelp } from "./parts/Help.js"
import { lazyPage } from "./parts/lazyPage.js"
import { openPalette, Palette } from "./parts/Palette.js"

/** The pages beside the list load when they are first opened. */
const ProjectsPage = lazyPage(async () => (await import("./pages/projects/ProjectsPage.js")).ProjectsPage)
const NewProjectPage = lazyPage(
  async () => (await import("./pages/projects/NewProjectPage.js")).NewProjectPage,
)
const SetupPage = lazyPage(async () => (await import("./pages/setup/SetupPage.js")).SetupPage)
const settingsPages = () => import("./pages/SettingsPages.js")
const SettingsPage = lazyPage(async () => (await settingsPages()).SettingsPage)
const AdminPage = lazyPage(async () => (await settingsPages()).AdminPage)
const AlertsPage = lazyPage(async () => (await settingsPages()).AlertsPage)
const DefaultAlertsPage = lazyPage(async () => (await settingsPages()).DefaultAlertsPage)
const findPages = () => import("./pages/group/FindPages.js")
const EventPage = lazyPage(async () => (await findPages()).EventPage)
const NumberPage = lazyPage(async () => (await findPages()).NumberPage)

export const App = () => (
  <LocationProvider scope={ownPages}>
    <Frame>
      <Boundary>
        <Router>
          <Route path={href("projects")} component={ProjectsPage} />
          <Route path={href("projects/new")} component={NewProjectPage} />
          <Route path={href("groups")} component={GroupPages} />
          <Route path={href("groups/:group")} component={NumberPage} />
          <Route path={href("reports/:event")} component={EventPage} />
          <Route path={href("settings/alerts/:view?/:item?")} component={DefaultAlertsPage} />
          <Route path={href("settings/:section?")} component={AdminPage} />
          <Route path={href("projects/:project")} component={GroupPages} />
          <Route path={href("projects/:project/groups")} component={GroupPages} />
          <Route path={href("projects/:project/setup")} component={SetupPage} />
          <Route path={href("projects/:project/settings/alerts/:view?/:item?")} component={AlertsPage} />
          <Route path={href("projects/:project/settings/:section?")} component={SettingsPage} />
          <Route
            path={href("projects/:project/webhooks/:webhook/deliveries/:delivery?")}
            component={SettingsPage}
          />
          <Route path={href("projects/:project/groups/:group")} component={GroupPages} />
          <Route path={href("projects/:project/groups/:group/:tab/:item?")} component={GroupPages} />
          <Route path={href("projects/:project/reports/:event")} component={EventPage} />
          <Route default component={MissingPage} />
        </Router>
      </Boundary>
    </Frame>
    <Keys />
    <Help />
    <Palette />
  </LocationProvider>
)

// internal

const Keys = () => {
  const { route } = useLocation()
  const adminKeys = useAdminPages().flatMap(({ key, slug, title }) =>
    key === undefined ? [] : [{ key, label: title, run: () => route(href(`settings/${slug}`)) }],
  )
  useKeys("Everywhere", [
    { key: "g p", label: "Projects", run: () => route(href("projects")) },
    { key: "g a", label: "All groups", run: () => route(href("groups")) },
    ...adminKeys,
    { key: "z", label: "Undo", run: () => undo() },
    { key: "t", label: "Theme: system, light, dark", run: nextTheme },
    { key: "?", label: "Keyboard shortcuts", run: openHelp },
    { key: "$mod+k", label: "Search or jump to", run: openPalette },
  ])
  return null
}
