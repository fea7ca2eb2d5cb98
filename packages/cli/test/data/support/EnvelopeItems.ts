/** A minimal parser of envelopes, to list the items of a file. */

export interface Item {
  readonly type: string
  readonly filename: string
  readonly payload: Buffer
}

export interface Envelope {
  readonly eventId: string | undefined
  readonly items: ReadonlyArray<Item>
  /** The bytes to send, without the `dsn` of another project. */
  readonly body: Buffer
}

/** Removes the `dsn` from an envelope without parsing its items. */
export const withoutDsn = (envelope: Buffer): Buffer => {
  const [header, start] = line(envelope, 0)
  const { dsn: _, ...kept } = JSON.parse(header)
  return Buffer.concat([Buffer.from(`${JSON.stringify(kept)}\n`), envelope.subarray(start)])
}

export const read = (envelope: Buffer): Envelope => {
  const [header, start] = line(envelope, 0)
  const { dsn: _, ...kept } = JSON.parse(header)
  const items: Array<Item> = []
  let at = start
  while (at < envelope.length) {
    const [text, payloadStart] = line(envelope, at)
    if (text === "") {
      at = payloadStart
      continue
    }
    const { filename = "attachment", length, type } = JSON.parse(text)
    const end = length === undefined ? lineEnd(envelope, payloadStart) : payloadStart + length
    items.push({ type, filename, payload: envelope.subarray(payloadStart, end) })
    at = end + 1
  }
  return {
    eventId: kept.event_id,
    items,
    body: Buffer.concat([Buffer.from(`${JSON.stringify(kept)}\n`), envelope.subarray(start)]),
  }
}

// internal

const newline = 10

const lineEnd = (bytes: Buffer, from: number): number => {
  const end = bytes.indexOf(newline, from)
  return end === -1 ? bytes.length : end
}

const line = (bytes: Buffer, from: number): readonly [text: string, next: number] => {
  const end = lineEnd(bytes, from)
  return [bytes.subarray(from, end).toString(), end + 1]
}
