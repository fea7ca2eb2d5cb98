/** The parts of a request that a body is read with. Calls within the process have them too. */
export interface BodyRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly source: object
}
