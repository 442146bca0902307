import { useSyncExternalStore } from 'react'
import { createListeners } from '../../listeners.ts'
import { classes } from '../classes.ts'
import { IconButton } from '../control/button.tsx'
import { Icon } from '../icon.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
}

const SHOWN_MS = { good: 4000, bad: 10_000 }
let toasts: readonly Toast[] = []
let count = 0
const { tell, subscribe } = createListeners()

const set = (next: readonly Toast[]) => {
  toasts = next
  tell()
}
const drop = (id: number) => set(toasts.filter((toast) => toast.id !== id))

function show(tone: Toast['tone'], text: string) {
  const id = count++
  set([...toasts.slice(-3), { id, tone, text }])
  setTimeout(() => drop(id), SHOWN_MS[tone])
}

/** A notice in the corner, read aloud by screen readers. */
export const toast = {
  good: (text: string) => show('good', text),
  bad: (text: string) => show('bad', text),
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          role={tone === 'bad' ? 'alert' : 'status'}
          className="pointer-events-auto flex w-full max-w-sm items-start gap-2.5 rounded-xl border border-line bg-raised py-2 pr-1.5 pl-3.5 text-sm shadow-lg"
        >
          <span className={classes('mt-2', tone === 'good' ? 'text-good' : 'text-bad')}>
            <Icon name={tone === 'good' ? 'check' : 'warning'} />
          </span>
          <p className="min-w-0 flex-1 py-1.5 break-words">{text}</p>
          <IconButton icon="close" label="Dismiss" onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  )
}
