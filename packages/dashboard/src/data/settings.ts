/** Preferences stored in the browser: theme, keys, live lists. */
import { effect, type Signal, signal } from "@preact/signals"

/** A signal that survives a reload. Starts with the first choice if nothing is stored. */
export const stored = <T extends string>(
  name: string,
  choices: readonly [T, ...ReadonlyArray<T>],
): Signal<T> => {
  const key = `errata.${name}`
  const kept = signal(choices[0])
  try {
    kept.value = choices.find((choice) => choice === localStorage.getItem(key)) ?? choices[0]
  } catch {
    // Storage is blocked.
  }
  effect(() => {
    try {
      localStorage.setItem(key, kept.value)
    } catch {
      // Storage is blocked or full.
    }
  })
  return kept
}

export const theme = stored("theme", ["system", "light", "dark"])
export const keys = stored("keys", ["on", "off"])
export const live = stored("live", ["off", "on"])

effect(() => {
  document.documentElement.dataset["theme"] = theme.value
})

export const nextTheme = (): void => {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system"
}
