import { useSyncExternalStore } from 'react'
import { formatRelative, formatTime } from './format.ts'

// One clock for all of them: they turn together, twice a minute.
let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 30_000)
  return () => {
    listeners.delete(tell)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** How long ago, with the exact moment behind it. Takes ms since the epoch or an ISO text. */
export function Time({ at }: { at: number | string }) {
  const shown = useSyncExternalStore(subscribe, () => now)
  const ms = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatTime(ms)} className="whitespace-nowrap">
      {formatRelative(ms, Math.max(shown, Math.min(ms, Date.now())))}
    </time>
  )
}
