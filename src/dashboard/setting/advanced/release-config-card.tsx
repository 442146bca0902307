import { useState } from 'react'
import type { Static } from 'typebox'
import { deleteReleaseConfig, getReleaseConfig, setReleaseConfig } from '#contract/api/release.ts'
import { useAction, useRead } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Button } from '../../ui/control/button.tsx'
import { SelectField, Switch, TextField } from '../../ui/control/field.tsx'
import { SettingCard } from '../setting-card.tsx'

type Config = Static<typeof getReleaseConfig.reply>['rollingRelease']

/** As the form has it. The last stage, everyone, is not part of it. */
interface ReleaseForm {
  readonly isOn: boolean
  readonly stages: readonly { readonly id: number; readonly share: string; readonly minutes: string }[]
  readonly action: 'rollback' | 'pause' | 'nothing'
}

const ACTIONS = [
  { value: 'rollback', label: 'Roll back automatically' },
  { value: 'pause', label: 'Pause the release' },
  { value: 'nothing', label: 'Do nothing' },
] as const

const SUGGESTED = [
  { id: 0, share: '10', minutes: '5' },
  { id: 1, share: '50', minutes: '10' },
]

const chosenOf = (config: Config): ReleaseForm => ({
  isOn: config !== null,
  stages:
    config?.stages.slice(0, -1).map(({ targetPercentage, duration, requireApproval }, id) => ({
      id,
      share: String(targetPercentage),
      minutes: requireApproval ? '' : String(duration ?? ''),
    })) ?? SUGGESTED,
  action: config?.gate?.enabled ? config.gate.action : config === null ? 'rollback' : 'nothing',
})

/** How new production deployments reach their visitors. */
export function ReleaseConfigCard({ project }: { project: Project }) {
  const { rollingRelease } = useRead('project', getReleaseConfig, { params: { idOrName: project.id } })
  const before = chosenOf(rollingRelease)
  const [chosen, setChosen] = useState(before)
  const params = { idOrName: project.id }
  const save = useAction(
    async ({ isOn, stages, action }: ReleaseForm, { client }) => {
      if (!isOn) return client.call(deleteReleaseConfig, { params })
      const given = stages.map(({ share, minutes }) =>
        minutes === ''
          ? { targetPercentage: Number(share), requireApproval: true }
          : { targetPercentage: Number(share), duration: Number(minutes) },
      )
      const gate = action === 'nothing' ? null : { action }
      return client.call(setReleaseConfig, {
        params,
        body: { stages: [...given, { targetPercentage: 100 }], gate },
      })
    },
    { changes: ['project'], done: 'Saved. It applies to the next production deployment.', quiet: true },
  )
  const change = (id: number, part: Partial<ReleaseForm['stages'][number]>) =>
    setChosen({
      ...chosen,
      stages: chosen.stages.map((stage) => (stage.id === id ? { ...stage, ...part } : stage)),
    })
  return (
    <SettingCard
      title="Rolling releases"
      about="Show new production deployments to a growing share of visitors instead of everyone at once. Visitors keep the deployment they were given."
      hint={chosen.isOn && 'Without minutes, a stage waits for your approval.'}
      changed={JSON.stringify(chosen) !== JSON.stringify(before)}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate(chosen)}
    >
      <Switch
        label="Release in stages"
        checked={chosen.isOn}
        onChange={(isOn) => setChosen({ ...chosen, isOn })}
      />
      {chosen.isOn && (
        <>
          <ol className="space-y-3">
            {chosen.stages.map(({ id, share, minutes }, index) => (
              <li key={id} className="flex flex-wrap items-end gap-3">
                <div className="w-36">
                  <TextField
                    label={`Stage ${index + 1} (%)`}
                    type="number"
                    min={0}
                    max={99}
                    required
                    value={share}
                    onChange={(text) => change(id, { share: text })}
                  />
                </div>
                <div className="w-36">
                  <TextField
                    label={`Stage ${index + 1} minutes`}
                    type="number"
                    min={1}
                    placeholder="Approval"
                    value={minutes}
                    onChange={(text) => change(id, { minutes: text })}
                  />
                </div>
                {chosen.stages.length > 1 && (
                  <Button
                    size="small"
                    look="quiet"
                    icon="trash"
                    aria-label={`Remove stage ${index + 1}`}
                    onClick={() =>
                      setChosen({ ...chosen, stages: chosen.stages.filter((stage) => stage.id !== id) })
                    }
                  />
                )}
              </li>
            ))}
            <li className="text-sm text-soft">Then everyone.</li>
          </ol>
          <Button
            size="small"
            icon="plus"
            onClick={() =>
              setChosen({
                ...chosen,
                stages: [
                  ...chosen.stages,
                  { id: Math.max(...chosen.stages.map((stage) => stage.id)) + 1, share: '', minutes: '10' },
                ],
              })
            }
          >
            Add stage
          </Button>
          <SelectField
            label="If the new deployment has more errors or is slower"
            value={chosen.action}
            onChange={(action) => setChosen({ ...chosen, action })}
            options={ACTIONS}
          />
        </>
      )}
    </SettingCard>
  )
}
