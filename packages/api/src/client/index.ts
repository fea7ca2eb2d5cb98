/** The client of an instance for programs on Effect. */

export {
  ErrataClient,
  type ErrataClientOptions,
  type Failure,
  type GroupClient,
  type RetryOptions,
} from "./ErrataClient.js"
export { ConnectionFailed, UnexpectedAnswer } from "./Failure.js"
