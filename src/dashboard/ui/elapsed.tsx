import { useEffect, useState } from 'react'
import { formatDuration } from './format.ts'

/** Time that goes by, second by second, without asking anybody. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const ms = Math.max(now - since, 0)
  return <>{ms < 1000 ? 'just started' : formatDuration(Math.floor(ms / 1000) * 1000)}</>
}
