import type { Reached } from './tries.ts'

/** Aloft as it runs somewhere. */
export interface Opened {
  readonly aloft: Reached
  /** Everything that it has printed. */
  printed(): Promise<string>
  /** `aloft` with these arguments, as an operator there. */
  command(...args: readonly string[]): Promise<string>
  close(): Promise<void>
}

export interface Place {
  /** In words, for the table. */
  readonly name: string
  /** Why it cannot be had here. */
  readonly missing: string | false
  /** What has to be in force there. */
  readonly isolatedBy: 'bubblewrap' | 'namespaces' | 'none'
  open(): Promise<Opened>
}
