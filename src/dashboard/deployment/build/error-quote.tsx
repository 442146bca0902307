import { useMemo } from 'react'
import { buildHint } from '#contract/build/build-hint.ts'
import { errorLinesOf } from '#contract/build/error-lines.ts'
import { terminalText } from '#contract/build/terminal-text.ts'
import { withCode } from '../../ui/text/with-code.tsx'
import { segmentsOf } from './log-lines.tsx'
import type { BuildLogState } from './use-build-log.ts'

const useErrorLines = ({ lines, dropped }: BuildLogState, said: string | undefined) =>
  useMemo(() => errorLinesOf(lines, dropped, said), [lines, dropped, said])

/** What to try, by how the build failed and what its log says about it. */
export function BuildHint({
  log,
  code,
  said,
}: {
  log: BuildLogState
  code: string | undefined
  said: string | undefined
}) {
  const found = useErrorLines(log, said)
  const texts = found.map(({ line }) => terminalText(line.payload.text))
  return <p className="mt-1 text-sm break-words text-soft">{withCode(buildHint(code, texts))}</p>
}

/** What the log says about why a build failed, with a link to each line. */
export function ErrorLines({
  log,
  said,
}: {
  log: BuildLogState
  /** What the card says already. */
  said: string | undefined
}) {
  const found = useErrorLines(log, said)
  const [first] = found
  if (first === undefined) return null
  return (
    <section aria-label="Error in the build log" className="pt-2">
      <ol className="overflow-x-auto rounded-lg border border-line bg-bg py-1.5 font-mono text-[0.8125rem]">
        {found.map(({ number, line }) => (
          <li key={number} className="flex border-l-2 border-bad leading-6">
            <a
              href={`#L${number}`}
              aria-label={`Go to line ${number} of the log`}
              className="w-12 shrink-0 pr-3 text-right text-soft tabular-nums select-none hover:text-fg hover:underline"
            >
              {number}
            </a>
            <span className="min-w-0 flex-1 pr-3 break-words whitespace-pre-wrap">
              {segmentsOf(line).map(({ text, className, style }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
                <span key={i} className={className} style={style}>
                  {text}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <a href={`#L${first.number}`} className="mt-2 inline-block text-sm text-accent hover:underline">
        Jump to the error in the log
      </a>
    </section>
  )
}
