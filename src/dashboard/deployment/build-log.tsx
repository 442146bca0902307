import { useEffect, useRef, useState } from 'react'
import { followLog, type LogEvent } from '#client/log-events.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'

/** As many lines as a page can hold. */
const MAX_LINES = 5000

/** What the build of a deployment prints, as it prints it. */
export function BuildLog({ id }: { id: string }) {
  const { client } = useAccount()
  const [lines, setLines] = useState<readonly LogEvent[]>([])
  const [problem, setProblem] = useState<string>()
  const box = useRef<HTMLPreElement>(null)

  useEffect(() => {
    const stop = new AbortController()
    setLines([])
    const follow = async () => {
      try {
        for await (const line of followLog(client, id, { builds: true }, { signal: stop.signal }))
          setLines((before) => [...before, line].slice(-MAX_LINES))
      } catch (error) {
        if (!stop.signal.aborted) setProblem(explain(error))
      }
    }
    void follow()
    return () => stop.abort()
  }, [client, id])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each line moves it on
  useEffect(() => box.current?.scrollTo(0, box.current.scrollHeight), [lines])

  return (
    <pre
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
      tabIndex={0}
      role="log"
      aria-label="Build log"
      className="max-h-96 min-h-24 overflow-auto rounded-lg border border-line bg-bg p-4 font-mono text-[0.8125rem] whitespace-pre-wrap"
    >
      {lines.map(({ payload }) => `${payload.text}\n`)}
      {lines.length === 0 && <span className="text-soft">Waiting for the first line …</span>}
      {problem !== undefined && <span className="text-bad">{problem}</span>}
    </pre>
  )
}
