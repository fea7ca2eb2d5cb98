/** A text to report without an error, such as a log line. */
export class Message {
  constructor(readonly text: string) {}
}
