import { useEffect, useState } from 'react'

const lineOf = (hash: string): number | undefined => {
  const digits = /^#L(\d{1,7})$/.exec(hash)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The line that the address links to, as in `#L42`. */
export function useLineInAddress(): number | undefined {
  const [line, setLine] = useState(() => lineOf(location.hash))
  useEffect(() => {
    const look = () => setLine(lineOf(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return line
}
