import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icon.tsx'
import type { TreeRow } from './file-tree.ts'

/** As many lines as are drawn at once. */
const MAX_ROWS = 3000

/** Files and folders to choose from, by the mouse or by the keys that trees are walked with. */
export function Tree({
  rows,
  chosen,
  onChoose,
  onToggle,
}: {
  rows: readonly TreeRow[]
  chosen: string | undefined
  onChoose: (path: string) => void
  onToggle: (path: string) => void
}) {
  const shown = rows.slice(0, MAX_ROWS)
  const [at, setAt] = useState(chosen)
  const box = useRef<HTMLDivElement>(null)
  const moved = useRef(false)
  const place = Math.max(
    shown.findIndex(({ path }) => path === at),
    0,
  )

  useEffect(() => {
    if (!moved.current) return
    moved.current = false
    box.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[place]?.focus()
  }, [place])

  const goTo = (index: number) => {
    const row = shown[Math.min(Math.max(index, 0), shown.length - 1)]
    if (row === undefined) return
    moved.current = true
    setAt(row.path)
  }
  const pick = ({ path, uid }: TreeRow) => {
    setAt(path)
    if (uid === undefined) onToggle(path)
    else onChoose(path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = shown[place]
    if (row === undefined) return
    const outer = row.path.slice(0, row.path.lastIndexOf('/'))
    const deeds: Readonly<Record<string, () => void>> = {
      ArrowDown: () => goTo(place + 1),
      ArrowUp: () => goTo(place - 1),
      Home: () => goTo(0),
      End: () => goTo(shown.length - 1),
      ArrowRight: () => {
        if (row.isOpen === false) onToggle(row.path)
        else if (row.isOpen) goTo(place + 1)
      },
      ArrowLeft: () =>
        row.isOpen === true ? onToggle(row.path) : goTo(shown.findIndex(({ path }) => path === outer)),
      Enter: () => pick(row),
      ' ': () => pick(row),
    }
    const deed = deeds[event.key]
    if (deed === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    deed()
  }

  return (
    <div ref={box} role="tree" aria-label="Files" onKeyDown={onKeyDown} className="py-1.5 text-sm">
      {shown.map((row, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the tree's
        <div
          key={row.path}
          role="treeitem"
          tabIndex={i === place ? 0 : -1}
          aria-level={row.depth + 1}
          aria-selected={row.path === chosen}
          aria-expanded={row.isOpen}
          title={row.path}
          onClick={() => pick(row)}
          style={{ paddingLeft: `${row.depth * 0.875 + 0.75}rem` }}
          onFocus={() => setAt(row.path)}
          className={classes(
            'flex h-8 cursor-pointer items-center gap-2 pr-3 -outline-offset-2 select-none hover:bg-hover',
            row.path === chosen ? 'bg-accent-soft font-medium text-accent' : 'text-fg',
          )}
        >
          <Icon
            name={row.uid === undefined ? (row.isOpen ? 'chevron' : 'folder') : 'file'}
            className="size-4 opacity-70"
          />
          <span className="min-w-0 truncate">{row.name}</span>
        </div>
      ))}
      {rows.length > shown.length && (
        <p className="px-3 py-2 text-soft">More files aren't shown. Search to find them.</p>
      )}
    </div>
  )
}
