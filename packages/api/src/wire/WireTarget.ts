/** The server that the suite tests. */

/** A user of the server under test, with an API key. */
export interface WireUser {
  readonly emailAddress: string
  readonly apiKey: string
}

/** A kind of notification target that the server under test supports. */
export interface WireReceiver {
  readonly kind: string
  /** The only required field: the secret URL that receives `POST` requests. The server must allow loopback URLs. */
  readonly field: string
}

/**
 * The server may contain other data. While the suite runs, only the suite may change users and policies. Each case
 * restores the policies at its end.
 */
export interface WireTarget {
  /** Without a trailing slash, e.g. `http://127.0.0.1:8000`. */
  readonly baseUrl: string
  /** Path of the REST API. Default: `/api/service/v1`. */
  readonly apiPath?: string
  /** The only active admin. */
  readonly admin: WireUser
  /** A member. The suite adds it to its projects. */
  readonly member: WireUser
  /** A member. The suite adds it to other projects than `member`. */
  readonly stranger: WireUser
  /** A member. The suite deactivates it. */
  readonly leaver: WireUser
  readonly receiver: WireReceiver
}
