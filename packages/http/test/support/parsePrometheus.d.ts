declare module "parse-prometheus-text-format" {
  interface Metric {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly buckets?: Readonly<Record<string, string>>
    readonly count?: string
    readonly sum?: string
  }

  /** Throws for malformed text. */
  export default function parse(text: string): ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly help: string
    readonly metrics: ReadonlyArray<Metric>
  }>
}
