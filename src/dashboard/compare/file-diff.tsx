import { useQuery } from '@tanstack/react-query'
import { Fragment, useMemo } from 'react'
import type { Client } from '#client/client.ts'
import { getFile } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../api/account.tsx'
import { classes } from '../ui/classes.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import type { FileChange } from './compare.ts'
import { type DiffLine, type DiffPart, diffLines, foldSame } from './line-diff.ts'

const MAX_BYTES = 400_000
const MAX_SHOWN = 3000

/** What a file of a deployment holds; null when it is no text, or too much of it. */
async function readText(
  client: Client,
  id: string,
  fileId: string | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  if (fileId === undefined) return ''
  const response = await client.call(getFile, { params: { id, fileId }, signal })
  const isLong = Number(response.headers.get('content-length') ?? 0) > MAX_BYTES
  if (isLong) {
    await response.body?.cancel()
    return null
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length > MAX_BYTES || bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The lines of a file that differ between two deployments. They are text, whatever they hold. */
export function FileDiff({ file, from, to }: { file: FileChange; from: string; to: string }) {
  const { id: accountId, client } = useAccount()
  const { data, error, refetch } = useQuery({
    queryKey: [accountId, 'file-diff', from, to, file],
    // Content is never changed.
    staleTime: 'static',
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([
        readText(client, from, file.from, signal),
        readText(client, to, file.to, signal),
      ])
      return before === null || after === null ? null : { before, after }
    },
  })
  const parts = useMemo(() => (data ? foldSame(diffLines(data.before, data.after)) : []), [data])

  if (error !== null) return <Problem error={error} retry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="m-4 h-40" />
  if (data === null)
    return <p className="p-5 text-sm text-soft">This file is binary or too large to compare line by line.</p>
  if (parts.every((part) => 'hidden' in part))
    return <p className="p-5 text-sm text-soft">Contents are identical; only the file mode changed.</p>

  let room = MAX_SHOWN
  const shown = parts.flatMap((part): readonly DiffPart[] => {
    if ('hidden' in part) return [part]
    const lines = part.lines.slice(0, Math.max(room, 0))
    room -= part.lines.length
    return lines.length === 0 ? [] : [{ lines }]
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section tabIndex={0} aria-label={`Diff of ${file.path}`} className="overflow-x-auto">
      <table className="w-full border-collapse font-mono text-[0.8125rem]">
        <caption className="sr-only">Lines of {file.path}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Line</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts stay where they are
            <Fragment key={at}>
              {'hidden' in part ? (
                <tr className="bg-bg text-soft">
                  <td colSpan={3} className="px-3 py-1">
                    … {count(part.hidden, 'unchanged line')}
                  </td>
                </tr>
              ) : (
                part.lines.map((line) => <Line key={`${line.before}-${line.after}`} line={line} />)
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
      {room < 0 && (
        <p className="p-4 text-sm text-soft">
          and {-room} more {room === -1 ? 'line' : 'lines'}
        </p>
      )}
    </section>
  )
}

const Line = ({ line: { kind, text, before, after } }: { line: DiffLine }) => (
  <tr className={classes(kind === 'added' && 'bg-good-soft', kind === 'removed' && 'bg-bad-soft')}>
    <td className="w-px px-2 text-right text-soft select-none">{before}</td>
    <td className="w-px px-2 text-right text-soft select-none">{after}</td>
    <td className="pr-4 pl-2 whitespace-pre">
      <span aria-hidden="true" className="mr-2 inline-block w-2 text-soft select-none">
        {kind === 'added' ? '+' : kind === 'removed' ? '−' : ' '}
      </span>
      {kind !== 'same' && <span className="sr-only">{kind}: </span>}
      {text}
    </td>
  </tr>
)
