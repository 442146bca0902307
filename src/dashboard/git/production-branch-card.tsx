import { useState } from 'react'
import { getSource } from '#contract/api/git.ts'
import { updateProject } from '#contract/api/project.ts'
import { useAction, useRead } from '../api/query.ts'
import { SettingCard } from '../setting/setting-card.tsx'
import { TextField } from '../ui/control/field.tsx'

/** Which branch goes live. */
export function ProductionBranchCard({ idOrName }: { idOrName: string }) {
  const { productionBranch } = useRead('push', getSource, { params: { idOrName } })
  const before = productionBranch ?? ''
  const [branch, setBranch] = useState(before)
  const save = useAction(
    (_input: undefined, { client }) =>
      client.call(updateProject, {
        params: { idOrName },
        body: { productionBranch: branch.trim() === '' ? null : branch.trim() },
      }),
    { changes: ['push', 'project'], done: 'Saved. Applies to the next push.', quiet: true },
  )
  return (
    <SettingCard
      title="Production branch"
      about="Pushes to this branch go live."
      hint="Leave it empty for main, or the repository's default branch."
      changed={branch.trim() !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate(undefined)}
    >
      <TextField
        label="Production branch"
        hideLabel
        placeholder="main"
        value={branch}
        onChange={setBranch}
        maxLength={250}
        literal
      />
    </SettingCard>
  )
}
