import { useState } from 'react'
import { updateDataCache } from '#contract/api/project.ts'
import { useAction } from '../api/query.ts'
import type { Project } from '../project/project.ts'
import { Card } from '../ui/card.tsx'
import { SelectField, Switch, TextField } from '../ui/field.tsx'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'
import { SettingSwitch } from './setting-switch.tsx'

/** Settings that clients of the API may set and read, and that have no effect here: out of the way until asked for. */
export const CompatibilityCards = ({ project }: { project: Project }) => (
  <details className="rounded-xl border border-line bg-panel">
    <summary className="cursor-pointer px-5 py-4 font-semibold">
      API compatibility
      <span className="mt-0.5 block text-sm font-normal text-soft">
        Settings that other tools read through the API. They have no effect on this installation.
      </span>
    </summary>
    <div className="space-y-6 border-t border-line p-5">
      <DataCacheCard project={project} />
      <OtherToolsCard project={project} />
    </div>
  </details>
)

function DataCacheCard({ project }: { project: Project }) {
  const change = useAction(
    (disabled: boolean, { client }) =>
      client.call(updateDataCache, { params: { projectId: project.id }, body: { disabled } }),
    { changes: ['project'], done: 'Saved.' },
  )
  const off = change.isPending ? change.variables : project.dataCache.userDisabled
  return (
    <Card
      title="Data cache"
      about="Functions on this installation don't keep data between requests, so there is nothing to purge."
    >
      <Switch
        label="Functions may cache fetched data"
        checked={!off}
        disabled={change.isPending}
        onChange={(on) => change.mutate(!on)}
      />
    </Card>
  )
}

const FEEDBACK = { default: null, on: true, off: false } as const

function OtherToolsCard({ project }: { project: Project }) {
  const before = {
    region: project.serverlessFunctionRegion ?? '',
    maxAge: String(project.skewProtectionMaxAge ?? ''),
    boundary: project.skewProtectionBoundaryAt
      ? new Date(project.skewProtectionBoundaryAt).toISOString().slice(0, 16)
      : '',
    feedback:
      project.enablePreviewFeedback === null ? 'default' : project.enablePreviewFeedback ? 'on' : 'off',
  } as const
  const [chosen, setChosen] = useState<{
    region: string
    maxAge: string
    boundary: string
    feedback: keyof typeof FEEDBACK
  }>(before)
  const save = useSaveProject(project, { quiet: true })
  const set =
    <K extends keyof typeof chosen>(key: K) =>
    (value: (typeof chosen)[K]) =>
      setChosen({ ...chosen, [key]: value })
  return (
    <SettingCard
      title="Other settings"
      changed={Object.entries(before).some(([key, value]) => chosen[key as keyof typeof chosen] !== value)}
      busy={save.isPending}
      error={save.error}
      onSave={() =>
        save.mutate({
          serverlessFunctionRegion: chosen.region || null,
          enablePreviewFeedback: FEEDBACK[chosen.feedback],
          ...(chosen.maxAge !== '' && { skewProtectionMaxAge: Number(chosen.maxAge) }),
          ...(chosen.boundary !== '' && { skewProtectionBoundaryAt: Date.parse(`${chosen.boundary}Z`) }),
        })
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Function region"
          value={chosen.region}
          onChange={set('region')}
          maxLength={16}
          placeholder="This installation's region"
          autoComplete="off"
        />
        <SelectField
          label="Preview comments"
          value={chosen.feedback}
          onChange={set('feedback')}
          options={[
            { value: 'default', label: 'Default' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
        />
        <TextField
          label="Skew protection (seconds)"
          type="number"
          min={0}
          value={chosen.maxAge}
          onChange={set('maxAge')}
          placeholder="Not set"
        />
        <TextField
          label="Skew protection since (UTC)"
          type="datetime-local"
          value={chosen.boundary}
          onChange={set('boundary')}
        />
      </div>
      <div className="grid gap-4 pt-2 sm:grid-cols-2">
        <SettingSwitch
          project={project}
          setting="serverlessFunctionZeroConfigFailover"
          label="Fail over functions to another region"
        />
        <SettingSwitch project={project} setting="gitForkProtection" label="Require approval for forks" />
        <SettingSwitch project={project} setting="gitLFS" label="Git LFS" />
        <SettingSwitch
          project={project}
          setting="skipGitConnectDuringLink"
          label="Skip the Git connection when linking"
        />
        <SettingSwitch
          project={project}
          setting="customerSupportCodeVisibility"
          label="Source visible to support"
        />
      </div>
    </SettingCard>
  )
}
