import { Link } from '@tanstack/react-router'
import { memo, useId } from 'react'
import { showBytes, showDuration } from '#contract/amounts.ts'
import type { ProjectLogLine, ProjectLogRequest } from '#contract/api/project-log.ts'
import { count } from '#contract/words/wording.ts'
import { parseAnsi, plainText } from '../deployment/build/ansi.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { classes } from '../ui/classes.ts'
import { CopyButton } from '../ui/control/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { formatTime } from '../ui/text/format.ts'
import type { LogRow } from './group-entries.ts'

const clock = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

const toneOf = (status: number): Tone =>
  status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'accent' : 'good'

const SOURCES: Readonly<Record<string, string>> = {
  static: 'File',
  function: 'Function',
  server: 'Server',
  proxy: 'Proxy',
  redirect: 'Redirect',
  error: 'Error page',
}

/** Not laid out while it is not seen, so that thousands of them stay fast. */
const unseen = { contentVisibility: 'auto', containIntrinsicSize: 'auto 41px' } as const

/** A visit or a line; what else is known of it is shown when it is opened. */
export const LogItem = memo(function LogItem({
  row,
  account,
  isOpen,
  isLong,
  onToggle,
}: {
  row: LogRow
  account: string
  isOpen: boolean
  /** Whether the list is long enough for it to matter what is not seen. */
  isLong: boolean
  onToggle: (id: string) => void
}) {
  const details = useId()
  const at = 'request' in row ? row.request.at : row.line.at
  return (
    <li style={isLong && !isOpen ? unseen : undefined} className="border-b border-line last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? details : undefined}
        onClick={() => onToggle(row.id)}
        className={classes(
          'flex min-h-10 w-full min-w-0 items-center gap-x-3 px-4 py-2 text-left text-sm -outline-offset-2 hover:bg-hover/60',
          isOpen && 'bg-hover/60',
        )}
      >
        <time
          dateTime={new Date(at).toISOString()}
          title={formatTime(at)}
          className="w-32 shrink-0 font-mono text-xs text-soft tabular-nums max-sm:hidden"
        >
          {clock.format(at)}
        </time>
        {'request' in row ? <Visit row={row} /> : <Line line={row.line} />}
        <Icon
          name="chevron"
          className={classes('size-4 text-soft transition-transform', isOpen && 'rotate-180')}
        />
      </button>
      {isOpen && (
        <div id={details} className="space-y-4 border-t border-line bg-bg/60 px-4 py-4">
          {'request' in row ? (
            <>
              <VisitDetails request={row.request} account={account} />
              {row.lines.length > 0 && <Lines lines={row.lines} />}
            </>
          ) : (
            <LineDetails line={row.line} account={account} />
          )}
        </div>
      )}
    </li>
  )
})

const Visit = ({ row: { request, lines } }: { row: Extract<LogRow, { request: unknown }> }) => (
  <>
    <Badge tone={toneOf(request.status)}>{request.status}</Badge>
    <span className="w-12 shrink-0 font-mono text-xs text-soft max-sm:hidden">{request.method}</span>
    <span className="min-w-0 flex-1">
      <span className="block truncate font-mono text-[0.8125rem]" title={request.path}>
        {request.path}
      </span>
      <span className="block truncate text-xs text-soft sm:hidden">
        {clock.format(request.at)} · {showDuration(request.ms)}
      </span>
    </span>
    {lines.length > 0 && (
      <span
        className={classes(
          'flex shrink-0 items-center gap-1 text-xs',
          lines.some(({ type }) => type === 'stderr') ? 'text-bad' : 'text-soft',
        )}
      >
        <Icon name="logs" className="size-3.5" />
        {count(lines.length, 'line')}
      </span>
    )}
    <span className="w-44 shrink-0 truncate text-xs text-soft max-lg:hidden" title={request.host}>
      {request.host}
    </span>
    <span className="w-16 shrink-0 text-xs text-soft max-md:hidden">
      {SOURCES[request.source] ?? request.source}
    </span>
    <span className="w-16 shrink-0 text-right text-xs text-soft tabular-nums max-sm:hidden">
      {showDuration(request.ms)}
    </span>
  </>
)

const Line = ({ line }: { line: ProjectLogLine }) => (
  <>
    <Badge tone={line.type === 'stderr' ? 'bad' : 'neutral'}>{line.type}</Badge>
    <span className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]">{textOf(line)}</span>
    <span className="max-w-44 shrink-0 truncate text-xs text-soft max-md:hidden">{line.entrypoint}</span>
  </>
)

const textOf = ({ text }: ProjectLogLine): string =>
  text
    .split('\n')
    .map((each) => plainText(parseAnsi(each)))
    .join('\n')

const deploymentFact = (account: string, deployment: string) =>
  [
    'Deployment',
    <Link
      key="deployment"
      to="/a/$account/deployments/$deployment"
      params={{ account, deployment }}
      className="break-all text-accent hover:underline"
    >
      {deployment}
    </Link>,
  ] as const

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-[0.8125rem] break-all">{children === '' ? '–' : children}</code>
)

function VisitDetails({ request, account }: { request: ProjectLogRequest; account: string }) {
  const isFailed = request.status >= 400
  return (
    <Facts
      facts={[
        ['Time', formatTime(request.at)],
        ['Request', <Code key="address">{`${request.method} ${request.host}${request.path}`}</Code>],
        [
          isFailed ? 'Error' : 'Summary',
          <span key="text" className={classes('break-words', isFailed && 'text-fg')}>
            {request.text}
          </span>,
        ],
        [
          'Served by',
          `${SOURCES[request.source] ?? request.source}${request.entrypoint === '' ? '' : ` ${request.entrypoint}`}${request.coldStart ? ' (cold start)' : ''}`,
        ],
        ['Duration', `${showDuration(request.ms)}, ${showBytes(request.bytes)} transferred`],
        ['IP address', <Code key="ip">{request.ip}</Code>],
        ['User agent', <Code key="agent">{request.userAgent}</Code>],
        ['Region', request.region],
        deploymentFact(account, request.deploymentId),
        [
          'Request ID',
          <span key="id" className="flex items-center gap-1">
            <Code>{request.requestId}</Code>
            <CopyButton text={request.requestId} label="Copy request ID" />
          </span>,
        ],
      ]}
    />
  )
}

const LineDetails = ({ line, account }: { line: ProjectLogLine; account: string }) => (
  <>
    <Lines lines={[line]} />
    <Facts
      facts={[
        ['Time', formatTime(line.at)],
        ['Function', <Code key="entry">{line.entrypoint}</Code>],
        ...(line.instanceId === undefined
          ? []
          : [['Instance', <Code key="instance">{line.instanceId}</Code>] as const]),
        ['Region', line.region],
        deploymentFact(account, line.deploymentId),
      ]}
    />
  </>
)

/** What a program wrote, with the colours it chose. */
const Lines = ({ lines }: { lines: readonly ProjectLogLine[] }) => (
  <ol
    aria-label="Output"
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    tabIndex={0}
    className="max-h-80 overflow-auto rounded-lg border border-line bg-bg py-2 font-mono text-[0.8125rem]"
  >
    {lines.map((line) => (
      <li
        key={line.id}
        className={classes(
          'border-l-2 px-3 leading-6 break-words whitespace-pre-wrap',
          line.type === 'stderr' ? 'border-bad' : 'border-transparent',
        )}
      >
        {line.text.split('\n').map((text, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text never move
          <span key={i} className="block min-h-6">
            {parseAnsi(text).map(({ text, className, style }, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
              <span key={j} className={className} style={style}>
                {text}
              </span>
            ))}
          </span>
        ))}
      </li>
    ))}
  </ol>
)
