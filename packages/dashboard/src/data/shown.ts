/** A context that is false on a hidden page. A list stays mounted behind the groups that it opened. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"

export const Shown = createContext(true)

/** Returns false on a hidden page: it must not poll, take keys, or move the focus. */
export const useIsShown = (): boolean => useContext(Shown)
