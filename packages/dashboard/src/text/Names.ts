import { cut, line } from "./SafeText.js"

/** Returns the name of a person, project or app in one line of at most 100 characters. */
export const nameOf = ({ name }: { readonly name: string }): string => line(cut(name, 100))
