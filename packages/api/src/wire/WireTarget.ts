/** The server that the suite is pointed at. */

/** A user of the server under test, with an API key. */
export interface WireUser {
  readonly emailAddress: string
  readonly apiKey: string
}

/** A kind of target that the server under test has. */
export interface WireReceiver {
  readonly kind: string
  /**
   * Its only required field: the secret URL that messages are sent to by `POST`. The server may send to addresses of this
   * machine.
   */
  readonly field: string
}

/**
 * The server may hold data of its own. For the length of the suite nobody else changes its users and policies; the
 * policies are put back at the end of each case.
 */
export interface WireTarget {
  /** Without a slash at the end, e.g. `http://127.0.0.1:8000`. */
  readonly baseUrl: string
  /** Where the REST API is below it; `/api/service/v1` unless told. */
  readonly apiPath?: string
  /** The only active admin. */
  readonly admin: WireUser
  /** A member, whom the suite makes a member of its projects. */
  readonly member: WireUser
  /** A member, whom the suite makes a member of projects that are not the other's. */
  readonly stranger: WireUser
  /** A member, whom the suite deactivates. */
  readonly leaver: WireUser
  readonly receiver: WireReceiver
}
