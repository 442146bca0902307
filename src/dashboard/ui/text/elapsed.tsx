import { useEffect, useState } from 'react'
import { showDuration } from '#contract/amounts.ts'

/** Time that goes by, second by second, without asking anybody. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const ms = Math.max(now - since, 0)
  return <>{showElapsed(ms)}</>
}

/** Whole seconds, so that the text does not change its width with each of them. */
function showElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 1) return 'just started'
  return seconds < 60 ? `${seconds} s` : showDuration(seconds * 1000)
}
