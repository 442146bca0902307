import { count } from '#contract/words/wording.ts'
import { classes } from '../ui/classes.ts'
import { type Change, countChanges, type FileChange, type SettingChange } from './compare.ts'

const MARKS = {
  added: { sign: '+', says: 'added', look: 'bg-good-soft text-good' },
  changed: { sign: '~', says: 'changed', look: 'bg-warn-soft text-warn' },
  removed: { sign: '−', says: 'removed', look: 'bg-bad-soft text-bad' },
} as const satisfies Record<Change, object>

export const ChangeMark = ({ change }: { change: Change }) => (
  <span
    title={MARKS[change].says}
    className={classes(
      'grid size-5 shrink-0 place-items-center rounded font-mono text-xs font-bold',
      MARKS[change].look,
    )}
  >
    <span aria-hidden="true">{MARKS[change].sign}</span>
    <span className="sr-only">{MARKS[change].says}: </span>
  </span>
)

/** How many files came, changed and went, in one line. */
export function ChangeCounts({ files }: { files: readonly FileChange[] }) {
  const counts = countChanges(files)
  if (files.length === 0) return <p className="text-sm text-soft">No files changed.</p>
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {(['added', 'changed', 'removed'] as const).map(
        (change) =>
          counts[change] > 0 && (
            <span key={change} className="flex items-center gap-1.5">
              <ChangeMark change={change} />
              {count(counts[change], 'file')} {change}
            </span>
          ),
      )}
    </p>
  )
}

/** What was set otherwise, before and after. */
export const SettingChanges = ({ settings }: { settings: readonly SettingChange[] }) => (
  <dl className="divide-y divide-line text-sm">
    {settings.map(({ name, from, to }) => (
      <div key={name} className="grid gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <dt className="break-words text-soft">{name}</dt>
        <dd className="min-w-0 space-y-0.5 font-mono text-[0.8125rem] break-words">
          <span className="block max-h-32 overflow-y-auto text-bad">
            <span className="sr-only">before: </span>− {from}
          </span>
          <span className="block max-h-32 overflow-y-auto text-good">
            <span className="sr-only">after: </span>+ {to}
          </span>
        </dd>
      </div>
    ))}
  </dl>
)
