import { useState } from 'react'
import { updateDataCache } from '#contract/api/project.ts'
import { useAction } from '../api/query.ts'
import type { Project } from '../project/project.ts'
import { Card } from '../ui/card.tsx'
import { SelectField, Switch, TextField } from '../ui/field.tsx'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'
import { SettingSwitch } from './setting-switch.tsx'

/** What functions may keep of the data they fetch. */
export function DataCacheCard({ project }: { project: Project }) {
  const change = useAction(
    (disabled: boolean, { client }) =>
      client.call(updateDataCache, { params: { projectId: project.id }, body: { disabled } }),
    { changes: ['project'], done: 'Saved.' },
  )
  const off = change.isPending ? change.variables : project.dataCache.userDisabled
  return (
    <Card
      title="Data cache"
      about="Kept for clients that ask for it. Functions keep no data between requests on this installation, so nothing has to be purged; pages that are kept follow their own revalidation."
    >
      <Switch
        label="Functions may keep data that they fetched"
        checked={!off}
        disabled={change.isPending}
        onChange={(on) => change.mutate(!on)}
      />
    </Card>
  )
}

const FEEDBACK = { default: null, on: true, off: false } as const

/** Settings that other tools read, and that change nothing here. */
export function DeploymentRetentionCard({ project }: { project: Project }) {
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
      title="For other tools"
      about="Clients of this API may set and read these. This installation keeps them, and does nothing else with them."
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
          label="Region of functions"
          value={chosen.region}
          onChange={set('region')}
          maxLength={16}
          placeholder="Where this installation is"
          autoComplete="off"
        />
        <SelectField
          label="Comments on previews"
          value={chosen.feedback}
          onChange={set('feedback')}
          options={[
            { value: 'default', label: 'As the tool likes' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
        />
        <TextField
          label="Skew protection, seconds"
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
          label="Functions fail over to another region"
        />
        <SettingSwitch project={project} setting="gitForkProtection" label="Ask before a fork is deployed" />
        <SettingSwitch project={project} setting="gitLFS" label="Fetch large files from Git LFS" />
        <SettingSwitch
          project={project}
          setting="skipGitConnectDuringLink"
          label="Link folders without their repository"
        />
        <SettingSwitch
          project={project}
          setting="customerSupportCodeVisibility"
          label="Support may see the source"
        />
      </div>
    </SettingCard>
  )
}
