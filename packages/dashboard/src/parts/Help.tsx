import { signal } from "@preact/signals"
import { keys } from "../data/settings.js"
import { sections } from "../keys/Keys.js"
import { Dialog } from "./Dialog.js"
import "../styles/help.css"

const isOpen = signal(false)

export const openHelp = (): void => {
  isOpen.value = true
}

/** Lists the shortcuts of the page, and switches them off. */
export const Help = () =>
  isOpen.value && (
    <Dialog title="Keyboard shortcuts" isLight class="help" onClose={() => (isOpen.value = false)}>
      <label class="switch">
        <input
          type="checkbox"
          checked={keys.value === "on"}
          onChange={(event) => (keys.value = event.currentTarget.checked ? "on" : "off")}
        />
        Use single-key shortcuts
      </label>
      <div class="sections">
        {sections.value.map(({ shortcuts, title }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(({ key, label }) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((part) => (
                      <kbd key={part}>{keyName(part)}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )

// internal

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

const keyName = (key: string): string => (key === "$mod+k" ? (isMac ? "⌘K" : "Ctrl K") : key)
