import type { ReactNode } from 'react'
import { classes } from '../classes.ts'

interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'right'
  /** Left out where the screen is narrow. */
  readonly wide?: boolean
}

/** Its title is said to screen readers alone. */
const ACTIONS = 'Actions'

/** Rows of things. Put it into a `<Card flush>`. */
export function Table<Row>({
  label,
  rows,
  columns,
  actions,
  rowKey,
  dense = false,
}: {
  /** What it lists, for screen readers. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** Buttons at the end of a row. */
  actions?: (row: Row) => ReactNode
  rowKey: (row: Row) => string
  /** With less space, for lists of very many. */
  dense?: boolean
}) {
  const all: readonly Column<Row>[] =
    actions === undefined ? columns : [...columns, { title: ACTIONS, cell: actions, align: 'right' }]
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">{label}</caption>
      <thead>
        <tr className="border-y border-line text-left text-soft first:border-t-0">
          {all.map(({ title, align, wide }) => (
            <th
              key={title}
              scope="col"
              className={classes(
                'px-3 py-2.5 font-medium whitespace-nowrap first:pl-5 last:pr-5 sm:px-5',
                align === 'right' && 'text-right',
                wide && 'max-md:hidden',
              )}
            >
              {title === ACTIONS ? <span className="sr-only">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className="border-b border-line last:border-b-0 hover:bg-hover/50">
            {all.map(({ title, cell, align, wide }) => (
              <td
                key={title}
                className={classes(
                  'px-3 align-middle first:pl-5 last:pr-5 sm:px-5',
                  dense ? 'py-1' : 'py-3',
                  align === 'right' && 'text-right',
                  wide && 'max-md:hidden',
                )}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
