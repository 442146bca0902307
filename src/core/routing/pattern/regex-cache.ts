import type { Regex } from './regex-engine.ts'

/**
 * Instructions of all regexes kept, which take a few hundred bytes each. What the sites in use need at a time is far less; whoever
 * has the largest of route tables compiled pushes out what is not in use, and does not fill the memory.
 */
const MAX_SIZE = 100_000

/** A regex as long as it is kept, shared by the same patterns of all tables. */
export interface KeptRegex {
  /** Undefined once it made room for others. */
  regex: Regex | undefined
  /** Set by whoever uses it again. */
  used: boolean
}

interface Slot {
  readonly kept: KeptRegex
  readonly size: number
}

const slots = new Map<string, Slot>()
let total = 0

/** The regex under this key if it is kept: the deployments of a project have the same routes. */
export function findRegex(key: string): KeptRegex | undefined {
  return slots.get(key)?.kept
}

/** The oldest that was not used since it was last looked at makes room. */
export function keepRegex(key: string, regex: Regex, size = regex.size): KeptRegex {
  for (const [oldest, slot] of slots) {
    if (total + size <= MAX_SIZE) break
    slots.delete(oldest)
    if (slot.kept.used) {
      // Set last, it is the newest in the map's order.
      slot.kept.used = false
      slots.set(oldest, slot)
      continue
    }
    total -= slot.size
    slot.kept.regex = undefined
  }
  const kept = { regex, used: false }
  slots.set(key, { kept, size })
  total += size
  return kept
}
