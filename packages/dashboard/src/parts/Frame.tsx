import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso/router"
import { useAdminPages } from "../data/adminPages.js"
import { useMe } from "../data/me.js"
import { notifyFailure } from "../data/notices.js"
import { href, rootUrl } from "../data/root.js"
import { signOut } from "../data/session.js"
import { nextTheme, theme } from "../data/settings.js"
import { CopyDialog } from "./Clipboard.js"
import { openHelp } from "./Help.js"
import { Link } from "./Link.js"
import { Menu } from "./Menu.js"
import { Notices } from "./Notices.js"
import { openPalette } from "./Palette.js"
import "../styles/base.css"
import "../styles/frame.css"

/** The frame of every page: the bar at its top, and messages. */
export const Frame = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header class="top">
      <Link to="projects" class="logo">
        <span class="mark" aria-hidden="true" />
        Errata
      </Link>
      <nav aria-label="Main">
        <Tab
          to="projects"
          isCurrent={(path) => path === "projects" || /^projects\/(new|\d+\/[sw])/.test(path)}
        >
          Projects
        </Tab>
        <Tab to="groups" isCurrent={(path) => path === "groups" || /^projects\/\d+\/groups/.test(path)}>
          Groups
        </Tab>
        <Settings />
      </nav>
      <span class="grow" />
      <button type="button" class="search" aria-label="Search or jump to" onClick={openPalette}>
        <span>Search or jump to</span> <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <Account />
    </header>
    {children}
    <Notices />
    <CopyDialog />
  </>
)

// internal

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

const Tab = ({
  to,
  isCurrent,
  children,
}: {
  readonly to: string
  readonly isCurrent: (path: string) => boolean
  readonly children: string
}) => {
  const current = isCurrent(useLocation().path.slice(rootUrl.pathname.length))
  return (
    <Link to={to} aria-current={current ? "page" : undefined}>
      {children}
    </Link>
  )
}

/** Only for users who can open one of these pages. */
const Settings = () => {
  const [first] = useAdminPages()
  if (first === undefined) return null
  return (
    <Tab to={`settings/${first.slug}`} isCurrent={(path) => path.startsWith("settings")}>
      Settings
    </Tab>
  )
}

const Account = () => {
  const me = useMe()
  const name = me?.user?.name ?? "Account"
  return (
    <Menu class="account" name={`Menu of ${name}`} align="end" label={initials(name)}>
      <p>
        <strong>{name}</strong>
        {me?.user != null && <span>{me.user.email_address}</span>}
      </p>
      <a href={href("account")}>Account and API key</a>
      <button type="button" onClick={nextTheme}>
        Theme: {theme} <kbd>t</kbd>
      </button>
      <button type="button" onClick={openHelp}>
        Keyboard shortcuts <kbd>?</kbd>
      </button>
      <button
        type="button"
        onClick={() => signOut().catch((error) => notifyFailure("Not signed out.", error))}
      >
        Sign out
      </button>
      {me !== undefined && <p class="version">Errata {me.instance.version}</p>}
    </Menu>
  )
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word][0] ?? "")
    .slice(0, 2)
    .join("")
    .toUpperCase()
