import { useEffect, useState } from 'react'
import type { Target } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { useLater } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { formatBytes } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { FileSummary } from './file-summary.tsx'
import { nameFrom, type Selection } from './selection.ts'
import { type Progress, useDeploy } from './use-deploy.ts'

const GOALS = [
  { value: 'production', label: 'Production: visitors see it at once' },
  { value: 'preview', label: 'Preview: at an address of its own first' },
] as const
type Goal = (typeof GOALS)[number]['value']

/** A text once it has stayed the same for a moment. */
function useSettled(text: string, ms = 300): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
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
  const [goal, setGoal] = useState<Goal>('production')
  const isTaken = useIsTaken(project === undefined ? name : '')
  const { progress, run, stop } = useDeploy(onCreated)
  const busy = progress.step !== 'idle' && progress.step !== 'failed'
  const clean = name.replace(/-+$/, '')
  const deploy = () =>
    run({
      selection,
      name: clean,
      project: project?.id,
      target: goal === 'production' ? ('production' satisfies Target) : undefined,
    })

  return (
    <form
      className="space-y-6"
      onSubmit={(event) => {
        event.preventDefault()
        void deploy()
      }}
    >
      <Card
        title={selection.name === '' ? 'Your files' : selection.name}
        actions={
          <Button size="small" icon="refresh" onClick={onOther} disabled={busy}>
            Choose something else
          </Button>
        }
      >
        <FileSummary selection={selection} />
      </Card>
      <Card
        title={project === undefined ? 'The project' : `Into ${project.name}`}
        footer={
          <>
            <span className="min-w-0 flex-1">
              <Going progress={progress} />
            </span>
            {busy ? (
              <Button onClick={stop}>Stop</Button>
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
                  ? `There is a project ${name} already: this becomes its next deployment.`
                  : 'Small letters, digits and dashes. It is part of the address.'
              }
              error={clean === '' ? 'It needs a name with a letter or a digit.' : undefined}
              value={name}
              onChange={(text) => setName(nameFrom(text))}
              disabled={busy}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <SelectField
            label="For whom"
            hint="You can promote a preview later, and roll back at any time."
            value={goal}
            onChange={setGoal}
            options={GOALS}
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

/** How far it is, in words and as a bar. */
function Going({ progress }: { progress: Progress }) {
  if (progress.step === 'idle') return 'Only what is not here already is sent.'
  if (progress.step === 'failed') return 'Nothing was deployed. What was sent is not sent again.'
  const [says, done, of] =
    progress.step === 'asking'
      ? ['Looking for what is missing …', 1, 1]
      : progress.step === 'hashing'
        ? ['Reading the files …', progress.done, progress.of]
        : [
            `Sending ${formatBytes(progress.done)} of ${formatBytes(progress.of)} …`,
            progress.done,
            progress.of,
          ]
  return (
    <span className="block max-w-md space-y-2">
      <span className="block">{says}</span>
      <ProgressBar label="Sending the files" done={done} of={of} />
    </span>
  )
}
