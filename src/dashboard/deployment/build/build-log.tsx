import { useEffect, useMemo, useRef, useState } from 'react'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'
import { Button, IconButton } from '../../ui/control/button.tsx'
import { TextField } from '../../ui/control/field.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { saveText } from '../../ui/save-file.ts'
import { submitting } from '../../ui/submitting.ts'
import { formatNumber } from '../../ui/text/format.ts'
import { BLOCK, holds, LogBlock } from './log-lines.tsx'
import { type BuildLogState, buildLogText } from './use-build-log.ts'
import { useLineInAddress } from './use-line.ts'

/** Within so many pixels of its end, a log is followed. */
const NEAR_END = 40
/** From so many blocks on, those that are not seen are not laid out. */
const MANY_BLOCKS = 5

/** What the build of a deployment prints, as it prints it: to read, to search, to follow and to keep. */
export function BuildLog({ id, log }: { id: string; log: BuildLogState }) {
  const { client } = useAccount()
  const { lines, dropped, isOver, problem } = log
  const linked = useLineInAddress()
  const [wanted, setWanted] = useState('')
  const [place, setPlace] = useState(0)
  const [follows, setFollows] = useState(linked === undefined)
  const [saving, setSaving] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  const found = useMemo(
    () => (wanted === '' ? [] : lines.flatMap((line, i) => (holds(line, wanted) ? [dropped + i + 1] : []))),
    [lines, dropped, wanted],
  )
  const current = wanted === '' ? linked : found[place % Math.max(found.length, 1)]
  const blocks = useMemo(() => {
    // They begin at multiples, so that a block stays the same when lines before it are dropped.
    const starts: number[] = []
    for (let at = dropped - (dropped % BLOCK); at < dropped + lines.length; at += BLOCK) starts.push(at)
    return starts.map((start) => ({
      first: Math.max(start, dropped) + 1,
      lines: lines.slice(Math.max(start - dropped, 0), start + BLOCK - dropped),
    }))
  }, [lines, dropped])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each line moves it on
  useEffect(() => {
    if (follows) box.current?.scrollTo(0, box.current.scrollHeight)
  }, [follows, lines])

  const isThere = current !== undefined && current > dropped && current <= dropped + lines.length
  useEffect(() => {
    const row = isThere ? document.getElementById(`L${current}`) : null
    if (row === null || box.current === null) return
    setFollows(false)
    // Inside the log alone: the page stays where it is.
    const { top, height } = box.current.getBoundingClientRect()
    box.current.scrollBy(0, row.getBoundingClientRect().top - top - height / 3)
  }, [current, isThere])

  const save = async () => {
    setSaving(true)
    try {
      saveText(`build-${id}.log`, await buildLogText(client, id))
    } catch (error) {
      toast.bad(explain(error))
    }
    setSaving(false)
  }
  const move = (by: number) => setPlace((before) => (before + by + found.length) % Math.max(found.length, 1))

  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <form className="min-w-40 flex-1 sm:max-w-xs" onSubmit={submitting(() => move(1))}>
          <TextField
            label="Search log"
            hideLabel
            type="search"
            placeholder="Search log…"
            value={wanted}
            onChange={(value) => {
              setWanted(value)
              setPlace(0)
            }}
          />
        </form>
        {wanted !== '' && (
          <div className="flex items-center gap-1">
            <span role="status" className="text-sm whitespace-nowrap text-soft tabular-nums">
              {found.length === 0
                ? 'No results'
                : `${formatNumber(place + 1)} of ${count(found.length, 'line')}`}
            </span>
            <IconButton
              icon="chevron"
              label="Previous match"
              disabled={found.length < 2}
              onClick={() => move(-1)}
              className="[&>svg]:rotate-180"
            />
            <IconButton
              icon="chevron"
              label="Next match"
              disabled={found.length < 2}
              onClick={() => move(1)}
            />
          </div>
        )}
        <div className="ml-auto flex items-center gap-2">
          {!follows && (
            <Button size="small" look="quiet" onClick={() => setFollows(true)}>
              {isOver ? 'Jump to end' : 'Follow'}
            </Button>
          )}
          <Button size="small" icon="download" busy={saving} disabled={lines.length === 0} onClick={save}>
            Download
          </Button>
        </div>
      </div>
      <div
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        tabIndex={0}
        role="log"
        aria-label="Build log"
        aria-busy={!isOver}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setFollows(scrollHeight - scrollTop - clientHeight < NEAR_END)
        }
        className="max-h-[32rem] min-h-24 overflow-auto rounded-lg border border-line bg-bg py-2 pr-3 font-mono text-[0.8125rem]"
      >
        {dropped > 0 && (
          <p className="px-3 text-soft">
            {formatNumber(dropped)} earlier lines aren't shown. Download the log to see them all.
          </p>
        )}
        {blocks.map((block) => (
          <LogBlock
            key={block.first - ((block.first - 1) % BLOCK)}
            {...block}
            wanted={wanted}
            isLong={blocks.length > MANY_BLOCKS}
            current={
              current !== undefined && current >= block.first && current < block.first + block.lines.length
                ? current
                : undefined
            }
          />
        ))}
        {lines.length === 0 && problem === undefined && (
          <p className="px-3 text-soft">{isOver ? 'No output.' : 'Waiting for output…'}</p>
        )}
        {problem !== undefined && <p className="px-3 text-bad">{problem}</p>}
      </div>
    </div>
  )
}
