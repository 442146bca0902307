import type { Cli } from '../cli.ts'
import { sayMore } from './paging.ts'
import { type Cell, renderTable } from './table.ts'

interface Listing<T> {
  readonly items: readonly T[]
  readonly head: readonly string[]
  readonly row: (item: T) => readonly Cell[]
  /** What is said when there is nothing: why, and how to change that. */
  readonly empty: string
  /** The command that goes on with the listing, without `aloft`, and from where. */
  readonly more?: readonly [line: string, next: number | null]
}

/** A listing: `data` for programs, a table for people. */
export function showList<T>({ out }: Cli, data: unknown, list: Listing<T>): void {
  const { items, head, row, empty, more } = list
  if (items.length === 0 && !out.json) out.say(empty)
  out.show(data, () => (items.length === 0 ? '' : renderTable(head, items.map(row), out.colors, out.width)))
  if (more) sayMore(out, ...more)
}
