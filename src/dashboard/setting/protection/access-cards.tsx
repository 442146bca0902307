import { useState } from 'react'
import type { ProtectedType } from '#contract/api/project.ts'
import type { Project } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { SelectField, TextField } from '../../ui/control/field.tsx'
import { useSaveProject } from '../save-project.ts'
import { SettingCard } from '../setting-card.tsx'
import { COVERS } from './covers.ts'
import { PlanHint } from './plan-hint.tsx'

const coverOf = (set: { deploymentType: string } | null): ProtectedType =>
  COVERS.find(({ value }) => value === set?.deploymentType)?.value ?? 'preview'

const State = ({ on }: { on: boolean }) => (
  <Badge tone={on ? 'good' : 'neutral'}>{on ? 'Enabled' : 'Disabled'}</Badge>
)

/** Asks visitors for one password. */
export function PasswordCard({ project }: { project: Project }) {
  const set = project.passwordProtection
  const [covers, setCovers] = useState(coverOf(set))
  const [password, setPassword] = useState('')
  const save = useSaveProject(project, { quiet: true, done: 'Saved. Takes effect immediately.' })
  return (
    <SettingCard
      title="Password"
      about="Visitors must enter a shared password. Changing it requires everyone to enter the new one."
      hint={<PlanHint plan="enterprise" what="Password protection" />}
      action={set === null ? 'Enable' : 'Save'}
      changed={set === null ? password !== '' : password !== '' || covers !== coverOf(set)}
      busy={save.isPending}
      error={save.error}
      clear={
        set !== null && {
          label: 'Disable password',
          onClear: () => save.mutate({ passwordProtection: null }),
        }
      }
      onSave={() =>
        save.mutate(
          { passwordProtection: { deploymentType: covers, ...(password !== '' && { password }) } },
          { onSuccess: () => setPassword('') },
        )
      }
    >
      <State on={set !== null} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Applies to" value={covers} onChange={setCovers} options={COVERS} />
        <TextField
          label={set === null ? 'Password' : 'New password'}
          type="password"
          value={password}
          onChange={setPassword}
          maxLength={72}
          autoComplete="new-password"
          placeholder={set === null ? '' : 'Unchanged'}
        />
      </div>
    </SettingCard>
  )
}

/** Lets in whoever is signed in to this installation and belongs to the account. */
export function SignOnCard({ project }: { project: Project }) {
  const set = project.ssoProtection
  const [covers, setCovers] = useState(coverOf(set))
  const save = useSaveProject(project, { quiet: true, done: 'Saved. Takes effect immediately.' })
  return (
    <SettingCard
      title="Members only"
      about="Only signed-in members of this account can view the site. If a password is also set, both are required."
      hint={covers === 'preview' ? undefined : <PlanHint plan="pro" what="Protecting production" />}
      action={set === null ? 'Enable' : 'Save'}
      changed={set === null || covers !== coverOf(set)}
      busy={save.isPending}
      error={save.error}
      clear={set !== null && { label: 'Disable', onClear: () => save.mutate({ ssoProtection: null }) }}
      onSave={() => save.mutate({ ssoProtection: { deploymentType: covers } })}
    >
      <State on={set !== null} />
      <SelectField label="Applies to" value={covers} onChange={setCovers} options={COVERS} />
    </SettingCard>
  )
}
