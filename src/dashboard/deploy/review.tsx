import { useEffect, useState } from 'react'
import { showBytes, timeLeft } from '#contract/amounts.ts'
import type { Target } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { useLater } from '../api/query.ts'
import { useEnvironments } from '../setting/environment/environments.ts'
import { Button } from '../ui/control/button.tsx'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { ProgressBar } from '../ui/feedback/progress-bar.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout/card.tsx'
import { submitting } from '../ui/submitting.ts'
import { FileSummary } from './file-summary.tsx'
import { nameFrom, type Selection } from './selection.ts'
import { type Progress, useDeploy } from './use-deploy.ts'

const GOALS = [
  { value: 'production', label: 'Production' },
  { value: 'preview', label: 'Preview' },
] as const

/** A text once it has stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 300)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Whether a project has this name already: then this becomes its next deployment. */
function useIsTaken(name: string): boolean {
  const settled = useSettled(name)
  const { data } = useLater(
    'project',
    getProject,
    { params: { idOrName: settled } },
    { enabled: settled !== '' },
  )
  return data?.name === name
}

/** What was chosen, and what is to become of it. */
export function Review({
  selection,
  project,
  onOther,
  onCreated,
}: {
  selection: Selection
  /** The one to deploy into; undefined for one that is named here. */
  project: { readonly id: string; readonly name: string } | undefined
  onOther: () => void
  onCreated: (id: string) => void
}) {
  const [name, setName] = useState(project?.name ?? nameFrom(selection.name))
  const [wanted, setWanted] = useState('production')
  const clean = name.replace(/-+$/, '')
  const isTaken = useIsTaken(project === undefined ? clean : '')
  const environments = useEnvironments(project?.id ?? (isTaken ? clean : undefined))
  const goals = [...GOALS, ...environments.map(({ id, slug }) => ({ value: id, label: slug }))]
  // An environment of a project that was named before is none of this one's.
  const goal = goals.some(({ value }) => value === wanted) ? wanted : 'production'
  const { progress, run, stop } = useDeploy(onCreated)
  const busy = progress.step !== 'idle' && progress.step !== 'failed'
  const deploy = () =>
    run({
      selection,
      name: clean,
      project: project?.id,
      target: goal === 'production' ? ('production' satisfies Target) : undefined,
      environment: environments.find(({ id }) => id === goal)?.id,
    })

  return (
    <form className="space-y-6" onSubmit={submitting(() => void deploy())}>
      <Card
        title={selection.name === '' ? 'Your files' : selection.name}
        actions={
          <Button size="small" icon="refresh" onClick={onOther} disabled={busy}>
            Choose other files
          </Button>
        }
      >
        <FileSummary selection={selection} />
      </Card>
      <Card
        title={project === undefined ? 'Project' : `Deploy to ${project.name}`}
        footer={
          <>
            <span className="min-w-0 flex-1">
              <Going progress={progress} />
            </span>
            {busy ? (
              <Button onClick={stop}>Cancel</Button>
            ) : (
              <Button type="submit" look="primary" icon="rocket" disabled={clean === ''}>
                Deploy
              </Button>
            )}
          </>
        }
      >
        <div className="grid gap-5 md:grid-cols-2">
          {project === undefined && (
            <TextField
              label="Name"
              hint={
                isTaken
                  ? `The project ${clean} already exists. This will be its next deployment.`
                  : 'Lowercase letters, digits and hyphens. Part of the URL.'
              }
              error={clean === '' ? 'Enter a name with at least one letter or digit.' : undefined}
              value={name}
              onChange={(text) => setName(nameFrom(text))}
              disabled={busy}
              literal
            />
          )}
          <SelectField
            label="Target"
            hint="Production goes live immediately. Anything else gets its own URL, and you can promote it later."
            value={goal}
            onChange={setWanted}
            options={goals}
            disabled={busy}
          />
        </div>
        {progress.step === 'failed' && (
          <p
            role="alert"
            className="mt-5 flex items-start gap-2.5 rounded-lg bg-bad-soft p-3 text-sm text-bad"
          >
            <Icon name="warning" className="mt-0.5 size-4" />
            <span className="min-w-0 break-words">{progress.problem}</span>
          </p>
        )}
      </Card>
    </form>
  )
}

/** The time left after an amount, where it is known. */
const leftOf = (left: string): string => (left === '' ? '…' : `, ${left}`)

/** How far it is, in words and as a bar. */
function Going({ progress }: { progress: Progress }) {
  if (progress.step === 'idle') return 'Only new files are uploaded.'
  if (progress.step === 'failed') return 'Not deployed. Files that were uploaded won’t be uploaded again.'
  const [says, done, of] =
    progress.step === 'asking'
      ? ['Checking for new files…', 1, 1]
      : progress.step === 'hashing'
        ? ['Reading files…', progress.done, progress.of]
        : [
            `Uploading ${showBytes(progress.done)} of ${showBytes(progress.of)}${leftOf(timeLeft(progress.done, progress.of, Date.now() - progress.since))}`,
            progress.done,
            progress.of,
          ]
  return (
    <span className="block max-w-md space-y-2">
      <span className="block">{says}</span>
      <ProgressBar label="Uploading files" done={done} of={of} />
    </span>
  )
}
