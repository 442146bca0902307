import { useSyncExternalStore } from 'react'
import { createListeners } from '../../listeners.ts'
import { formatRelative, formatTime } from './format.ts'

// One clock for all of them: they turn together, twice a minute.
let now = Date.now()
const { subscribe } = createListeners((tell) => {
  const timer = setInterval(() => {
    now = Date.now()
    tell()
  }, 30_000)
  return () => clearInterval(timer)
})

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
