import { useSuspenseQuery } from '@tanstack/react-query'
import { memo, useEffect, useMemo, useState } from 'react'
import { showBytes } from '#contract/amounts.ts'
import { getFile } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import { type Account, useAccount } from '../../api/account.tsx'
import { classes } from '../../ui/classes.ts'
import { buttonClass } from '../../ui/control/button.tsx'
import { CopyButton } from '../../ui/control/copy-button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLineInAddress } from '../build/use-line.ts'
import { readSource } from './read-source.ts'

const BLOCK = 200
const LINE_PX = 24
/** What is longer is no line that somebody wrote. */
const MAX_COLUMNS = 2000

interface File {
  readonly deploymentId: string
  readonly uid: string
  readonly path: string
}

/** Answers with bytes that no browser shows by itself, so it can only be saved. */
const downloadAddress = ({ id, kind }: Account, { deploymentId, uid }: File): string => {
  const path = getFile.on.slice('GET '.length).replace(':id', deploymentId).replace(':fileId', uid)
  return kind === 'team' ? `${path}?teamId=${id}` : path
}

/** One file, as text with its lines numbered, or as a picture. */
export function SourceView({ file }: { file: File }) {
  const account = useAccount()
  const { data: source } = useSuspenseQuery({
    queryKey: [account.id, 'source', file.deploymentId, file.uid, file.path],
    // What was deployed never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readSource(account.client, file, signal),
  })
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  const download = (
    <a href={downloadAddress(account, file)} download={name} className={buttonClass({ size: 'small' })}>
      <Icon name="download" /> Download
    </a>
  )
  return (
    <section aria-label={file.path} className="flex min-w-0 flex-col">
      <header className="flex min-h-13 flex-wrap items-center justify-between gap-2 border-b border-line py-1.5 pr-3 pl-4">
        <h2 className="min-w-0 font-mono text-[0.8125rem] font-medium break-all">{file.path}</h2>
        <div className="flex items-center gap-2 text-sm text-soft">
          <span className="whitespace-nowrap">
            {source.kind === 'text' && `${count(lineCount(source.text), 'line')}, `}
            {showBytes(source.bytes)}
          </span>
          {source.kind === 'text' && <CopyButton text={source.text} label="Copy file" />}
          {download}
        </div>
      </header>
      {source.kind === 'text' ? (
        source.text === '' ? (
          <Empty icon="file" title="Empty file" />
        ) : (
          <Text path={file.path} text={source.text} />
        )
      ) : source.kind === 'picture' ? (
        <Picture blob={source.blob} name={name} />
      ) : source.kind === 'large' ? (
        <Empty icon="file" title="File is too large to display">
          Download it ({showBytes(source.bytes)}) to view it.
        </Empty>
      ) : (
        <Empty icon="file" title="Binary file">
          Download it to open it with another application.
        </Empty>
      )}
    </section>
  )
}

const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/)
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
const lineCount = (text: string): number => (text === '' ? 0 : linesOf(text).length)

function Text({ path, text }: { path: string; text: string }) {
  const linked = useLineInAddress()
  const blocks = useMemo(() => {
    const lines = linesOf(text)
    return Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, i) =>
      lines.slice(i * BLOCK, (i + 1) * BLOCK),
    )
  }, [text])
  useEffect(() => {
    if (linked !== undefined) document.getElementById(`L${linked}`)?.scrollIntoView({ block: 'center' })
  }, [linked])
  return (
    <section
      aria-label={`Contents of ${path}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
      tabIndex={0}
      className="max-h-[70vh] overflow-auto py-2 font-mono text-[0.8125rem] -outline-offset-2"
    >
      {blocks.map((lines, i) => (
        <Block
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move
          key={i}
          lines={lines}
          first={i * BLOCK + 1}
          linked={linked !== undefined && Math.floor((linked - 1) / BLOCK) === i ? linked : undefined}
        />
      ))}
    </section>
  )
}

const Block = memo(
  ({ lines, first, linked }: { lines: readonly string[]; first: number; linked: number | undefined }) => (
    <div style={{ contentVisibility: 'auto', containIntrinsicSize: `auto ${lines.length * LINE_PX}px` }}>
      {lines.map((line, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
          key={i}
          id={`L${first + i}`}
          className={classes('flex min-w-max leading-6', linked === first + i && 'bg-accent-soft')}
        >
          <a
            href={`#L${first + i}`}
            tabIndex={-1}
            aria-label={`Line ${first + i}`}
            className="sticky left-0 w-14 shrink-0 bg-panel pr-4 text-right text-soft tabular-nums select-none hover:text-fg"
          >
            {first + i}
          </a>
          <span className="pr-4 whitespace-pre">
            {line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)} …` : line}
          </span>
        </div>
      ))}
    </div>
  ),
)

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return (
    <div className="grid min-h-64 place-items-center bg-bg p-6">
      {address !== undefined && <img src={address} alt={name} className="max-h-[60vh] max-w-full" />}
    </div>
  )
}
