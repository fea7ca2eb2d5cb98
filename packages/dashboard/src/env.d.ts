/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="es2024.collection" />

declare module "*.css"

declare module "*.svg" {
  const url: string
  export default url
}

interface ImportMeta {
  readonly env: {
    /** True if the development server serves the app. */
    readonly DEV: boolean
    /** Replaces a session. Only for development. */
    readonly ERRATA_API_KEY: string | undefined
  }
}
