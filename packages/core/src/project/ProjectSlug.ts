/** The name of a project for paths and command lines: lower case, with `-` for all but letters and digits. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
