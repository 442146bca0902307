import { type DragEvent, useRef, useState } from 'react'
import { classes } from '../ui/classes.ts'
import { Button } from '../ui/control/button.tsx'
import { Spinner } from '../ui/feedback/spinner.tsx'
import { Icon } from '../ui/icon.tsx'
import { selectFiles, takeDrop } from './read-files.ts'
import type { Selection } from './selection.ts'

/** Where a folder or a zip is dropped or chosen. Nothing is sent from here. */
export function DropZone({
  busy = false,
  onChosen,
}: {
  /** While what was dropped is read. */
  busy?: boolean
  onChosen: (read: () => Promise<Selection>) => void
}) {
  const [over, setOver] = useState(false)
  const folder = useRef<HTMLInputElement>(null)
  const zip = useRef<HTMLInputElement>(null)

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!busy) onChosen(takeDrop(event.dataTransfer))
  }
  const choose = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])]
    // The same choice can be made again.
    input.value = ''
    if (files.length > 0) onChosen(() => selectFiles(files))
  }

  return (
    <section
      aria-label="Files to deploy"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
      className={classes(
        'flex flex-col items-center justify-center gap-4 rounded-2xl border-2 border-dashed px-6 py-14 text-center transition-colors',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong/50 bg-panel',
      )}
    >
      <span
        className={classes(
          'rounded-full p-4',
          over ? 'bg-accent-fill text-on-accent' : 'bg-accent-soft text-accent',
        )}
      >
        {busy ? <Spinner className="size-7" /> : <Icon name="upload" className="size-7" />}
      </span>
      <div role="status">
        <p className="text-lg font-semibold">
          {busy ? 'Reading files…' : over ? 'Drop to select' : 'Drop a folder or a .zip file here'}
        </p>
        <p className="mt-1 text-sm text-soft">You'll review it before anything is uploaded.</p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button look="primary" icon="folder" disabled={busy} onClick={() => folder.current?.click()}>
          Choose folder
        </Button>
        <Button icon="box" disabled={busy} onClick={() => zip.current?.click()}>
          Choose .zip file
        </Button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        data-choose="folder"
        {...{ webkitdirectory: '' }}
        onChange={(event) => choose(event.target)}
      />
      <input
        ref={zip}
        type="file"
        hidden
        accept=".zip,application/zip"
        data-choose="zip"
        onChange={(event) => choose(event.target)}
      />
    </section>
  )
}
