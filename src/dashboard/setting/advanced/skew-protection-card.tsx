import { useState } from 'react'
import type { Project } from '../../project/project.ts'
import { TextField } from '../../ui/control/field.tsx'
import { useSaveProject } from '../save-project.ts'
import { SettingCard } from '../setting-card.tsx'

/** For how long pages that are still open get what they ask for from the deployment that they came from. */
export function SkewProtectionCard({ project }: { project: Project }) {
  const before = {
    maxAge: String(project.skewProtectionMaxAge ?? ''),
    boundary: project.skewProtectionBoundaryAt
      ? new Date(project.skewProtectionBoundaryAt).toISOString().slice(0, 16)
      : '',
  }
  const [chosen, setChosen] = useState(before)
  const save = useSaveProject(project, { quiet: true })
  return (
    <SettingCard
      title="Skew protection"
      about="Pages that were loaded before a new deployment went to production still get files and functions of their own deployment. 0 turns it off."
      changed={chosen.maxAge !== before.maxAge || chosen.boundary !== before.boundary}
      busy={save.isPending}
      error={save.error}
      onSave={() =>
        save.mutate({
          ...(chosen.maxAge !== '' && { skewProtectionMaxAge: Number(chosen.maxAge) }),
          ...(chosen.boundary !== '' && { skewProtectionBoundaryAt: Date.parse(`${chosen.boundary}Z`) }),
        })
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Maximum age (seconds)"
          type="number"
          min={0}
          value={chosen.maxAge}
          onChange={(maxAge) => setChosen({ ...chosen, maxAge })}
          placeholder="Off"
        />
        <TextField
          label="Ignore deployments created before (UTC)"
          type="datetime-local"
          value={chosen.boundary}
          onChange={(boundary) => setChosen({ ...chosen, boundary })}
        />
      </div>
    </SettingCard>
  )
}
