import { memo } from 'react'
import type { LogEvent } from '#client/follow/log-events.ts'
import { classes } from '../../ui/classes.ts'
import { formatTime } from '../../ui/text/format.ts'
import { markSegments, parseAnsi, plainText, type Segment } from './ansi.ts'

/** Lines are drawn in blocks: one that does not change is not drawn again, one that is not seen is not laid out. */
export const BLOCK = 200
const LINE_PX = 24

const parsed = new WeakMap<LogEvent, readonly Segment[]>()

/** A line as it is shown; worked out once. */
export function segmentsOf(line: LogEvent): readonly Segment[] {
  const known = parsed.get(line)
  if (known !== undefined) return known
  const segments = parseAnsi(line.payload.text)
  parsed.set(line, segments)
  return segments
}

export const holds = (line: LogEvent, wanted: string): boolean =>
  plainText(segmentsOf(line)).toLowerCase().includes(wanted.toLowerCase())

/** Some lines in a row; `first` is the number of the first of them. */
export const LogBlock = memo(
  function LogBlock({
    lines,
    first,
    wanted,
    current,
    isLong,
  }: {
    lines: readonly LogEvent[]
    first: number
    wanted: string
    /** The line that was linked to or searched for, if it is among these. */
    current: number | undefined
    /** Whether the log is long enough for it to matter. */
    isLong: boolean
  }) {
    return (
      <div
        style={
          isLong
            ? { contentVisibility: 'auto', containIntrinsicSize: `auto ${lines.length * LINE_PX}px` }
            : undefined
        }
      >
        {lines.map((line, i) => (
          <LogLine
            key={line.payload.id}
            line={line}
            number={first + i}
            wanted={wanted}
            isCurrent={current === first + i}
          />
        ))}
      </div>
    )
  },
  (before, after) =>
    before.first === after.first &&
    before.wanted === after.wanted &&
    before.current === after.current &&
    before.isLong === after.isLong &&
    before.lines.length === after.lines.length &&
    before.lines[0] === after.lines[0],
)

const LogLine = ({
  line,
  number,
  wanted,
  isCurrent,
}: {
  line: LogEvent
  number: number
  wanted: string
  isCurrent: boolean
}) => {
  const isCommand = line.type === 'command'
  return (
    <div
      id={`L${number}`}
      className={classes(
        'flex leading-6 hover:bg-hover/60',
        isCurrent && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <a
        href={`#L${number}`}
        tabIndex={-1}
        title={formatTime(line.created)}
        aria-label={`Line ${number}`}
        className="w-12 shrink-0 pr-3 text-right text-soft tabular-nums select-none hover:text-fg"
      >
        {number}
      </a>
      <span
        className={classes('min-w-0 flex-1 break-words whitespace-pre-wrap', isCommand && 'font-semibold')}
      >
        {isCommand && <span className="text-accent select-none">$ </span>}
        {markSegments(segmentsOf(line), wanted).map(({ text, className, style, isFound }, i) =>
          isFound ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
            <mark key={i} className="rounded-sm bg-warn-soft text-warn">
              {text}
            </mark>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
            <span key={i} className={className} style={style}>
              {text}
            </span>
          ),
        )}
      </span>
    </div>
  )
}
