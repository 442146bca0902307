import { useState } from 'react'
import type { Project } from '../../project/project.ts'
import { SelectField } from '../../ui/control/field.tsx'
import { useSaveProject } from '../save-project.ts'
import { SettingCard } from '../setting-card.tsx'
import { SettingSwitch } from '../setting-switch.tsx'

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
      <OtherToolsCard project={project} />
    </div>
  </details>
)

const FEEDBACK = { default: null, on: true, off: false } as const

function OtherToolsCard({ project }: { project: Project }) {
  const before =
    project.enablePreviewFeedback === null ? 'default' : project.enablePreviewFeedback ? 'on' : 'off'
  const [feedback, setFeedback] = useState<keyof typeof FEEDBACK>(before)
  const save = useSaveProject(project, { quiet: true })
  return (
    <SettingCard
      title="Other settings"
      changed={feedback !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ enablePreviewFeedback: FEEDBACK[feedback] })}
    >
      <SelectField
        label="Preview comments"
        value={feedback}
        onChange={setFeedback}
        options={[
          { value: 'default', label: 'Default' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
      />
      <div className="grid gap-4 pt-2 sm:grid-cols-2">
        <SettingSwitch
          project={project}
          setting="serverlessFunctionZeroConfigFailover"
          label="Fail over functions to another region"
        />
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
