import type { Observation } from './watch-name.ts'

/** What is changed again and again, and shown by every serving machine. */
export const SUBJECTS = ['alias', 'record', 'certificate', 'page'] as const
export type Subject = (typeof SUBJECTS)[number]

export interface Agreed {
  /** How often it was changed. */
  readonly changes: number
  /** From the first that showed a change to the last that showed what was before. */
  readonly longestMs: number
}

/** What the machines have shown while one thing was changed. */
export class Agreement implements Agreed {
  changes = 0
  longestMs = 0

  note(looks: readonly Observation[]): void {
    const first = Math.min(...looks.filter(({ is }) => is === 'wanted').map(({ to }) => to))
    for (const { is, to } of looks) if (is === 'other') this.longestMs = Math.max(this.longestMs, to - first)
    this.changes += 1
  }

  clear(): void {
    this.changes = 0
    this.longestMs = 0
  }
}
