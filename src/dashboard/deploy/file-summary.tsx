import { useState } from 'react'
import { showBytes } from '#contract/amounts.ts'
import { Button } from '../ui/control/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { formatNumber } from '../ui/text/format.ts'
import type { Selection } from './selection.ts'

const SHOWN = 12
const SHOWN_ALL = 500

/** What will be sent, so that nobody deploys the wrong folder. */
export function FileSummary({ selection }: { selection: Selection }) {
  const [all, setAll] = useState(false)
  const { files, bytes, leftOut } = selection
  const most = all ? SHOWN_ALL : SHOWN
  const rest = files.length - most
  return (
    <div>
      <p className="text-sm">
        <b className="font-semibold">{formatNumber(files.length)}</b> {files.length === 1 ? 'file' : 'files'},{' '}
        <b className="font-semibold">{showBytes(bytes)}</b>
        {leftOut > 0 && (
          <span className="text-soft">
            {' '}
            · {formatNumber(leftOut)} skipped (.gitignore, .vercelignore, .aloftignore or never deployed)
          </span>
        )}
      </p>
      <ul className="mt-3 max-h-72 overflow-y-auto rounded-lg border border-line bg-bg py-1 text-sm">
        {files.slice(0, most).map(({ path, size }) => (
          <li key={path} className="flex items-center gap-2.5 px-3 py-1">
            <Icon name="file" className="size-4 text-soft" />
            <span className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]">{path}</span>
            <span className="text-soft tabular-nums">{showBytes(size)}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <div className="mt-2 flex items-center gap-3 text-sm text-soft">
          <span>and {formatNumber(rest)} more</span>
          {!all && (
            <Button size="small" look="quiet" onClick={() => setAll(true)}>
              Show more
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
