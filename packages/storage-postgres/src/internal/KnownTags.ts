/**
 * A bounded cache of tag values of groups that have rows in the database. Evicts values that were not used lately,
 * which only costs time.
 */
export class KnownTags {
  private current: Tags = new Map()
  private former: Tags = new Map()
  private size = 0

  constructor(private readonly maxSize = 20_000) {}

  has(groupId: number, key: string, value: string): boolean {
    if (includes(this.current, groupId, key, value)) return true
    if (!includes(this.former, groupId, key, value)) return false
    this.add(groupId, key, value)
    return true
  }

  add(groupId: number, key: string, value: string): void {
    if (this.size >= this.maxSize) {
      this.former = this.current
      this.current = new Map()
      this.size = 0
    }
    const keys = this.current.get(groupId) ?? new Map<string, Set<string>>()
    this.current.set(groupId, keys)
    const values = keys.get(key)
    if (values === undefined) keys.set(key, new Set([value]))
    else values.add(value)
    this.size++
  }

  clear(): void {
    this.current = new Map()
    this.former = new Map()
    this.size = 0
  }
}

// internal

/** Values by group and key. */
type Tags = Map<number, Map<string, Set<string>>>

const includes = (tags: Tags, groupId: number, key: string, value: string): boolean =>
  tags.get(groupId)?.get(key)?.has(value) === true
