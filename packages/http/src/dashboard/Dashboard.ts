/** The web interface as files in memory, as `@errata/dashboard` exports it. */

/** A file of the dashboard. */
export interface Asset {
  /** With its charset if the file is text. */
  readonly type: string
  readonly body: Uint8Array
  /** The body in Brotli and in gzip. Null if compression does not make it smaller. */
  readonly br: Uint8Array | null
  readonly gz: Uint8Array | null
}

/** The files of the dashboard: `dashboard` of `@errata/dashboard`. */
export interface Dashboard {
  /** By the file's name below `assets/`. A name contains a hash of its content. */
  readonly assets: ReadonlyMap<string, Asset>
  /** Returns the HTML document for pages at this depth below the mount. */
  readonly shell: (depth: number, serviceName?: string) => string
}
