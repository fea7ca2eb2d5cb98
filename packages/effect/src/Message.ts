/** A text to report where there is no error, such as the line of a log. */
export class Message {
  constructor(readonly text: string) {}
}
