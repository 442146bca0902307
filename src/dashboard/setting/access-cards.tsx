import { useState } from 'react'
import type { ProtectedType } from '#contract/api/project.ts'
import type { Project } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { COVERS } from './covers.ts'
import { PlanHint } from './plan-hint.tsx'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'

const coverOf = (set: { deploymentType: string } | null): ProtectedType =>
  COVERS.find(({ value }) => value === set?.deploymentType)?.value ?? 'preview'

const State = ({ on }: { on: boolean }) => <Badge tone={on ? 'good' : 'neutral'}>{on ? 'On' : 'Off'}</Badge>

/** Asks visitors for one password. */
export function PasswordCard({ project }: { project: Project }) {
  const set = project.passwordProtection
  const [covers, setCovers] = useState(coverOf(set))
  const [password, setPassword] = useState('')
  const save = useSaveProject(project, { quiet: true, done: 'Saved. It holds from now on.' })
  return (
    <SettingCard
      title="Password"
      about="Visitors are asked for one password before they see anything. A new password asks everybody again."
      hint={<PlanHint plan="enterprise" what="A password" />}
      action={set === null ? 'Switch on' : 'Save'}
      changed={set === null ? password !== '' : password !== '' || covers !== coverOf(set)}
      busy={save.isPending}
      error={save.error}
      more={
        set !== null && (
          <Button
            size="small"
            look="danger"
            disabled={save.isPending}
            onClick={() => save.mutate({ passwordProtection: null })}
          >
            Switch the password off
          </Button>
        )
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
        <SelectField label="Protects" value={covers} onChange={setCovers} options={COVERS} />
        <TextField
          label={set === null ? 'Password' : 'New password'}
          type="password"
          value={password}
          onChange={setPassword}
          maxLength={72}
          autoComplete="new-password"
          placeholder={set === null ? '' : 'The one that is set stays'}
        />
      </div>
    </SettingCard>
  )
}

/** Lets in whoever is signed in to this installation and belongs to the account. */
export function SignOnCard({ project }: { project: Project }) {
  const set = project.ssoProtection
  const [covers, setCovers] = useState(coverOf(set))
  const save = useSaveProject(project, { quiet: true, done: 'Saved. It holds from now on.' })
  return (
    <SettingCard
      title="Members only"
      about="Visitors sign in to this installation, and only those who belong to the account see the site. Where a password is set as well, both are needed."
      hint={covers === 'preview' ? undefined : <PlanHint plan="pro" what="More than previews" />}
      action={set === null ? 'Switch on' : 'Save'}
      changed={set === null || covers !== coverOf(set)}
      busy={save.isPending}
      error={save.error}
      more={
        set !== null && (
          <Button
            size="small"
            look="danger"
            disabled={save.isPending}
            onClick={() => save.mutate({ ssoProtection: null })}
          >
            Let everybody in
          </Button>
        )
      }
      onSave={() => save.mutate({ ssoProtection: { deploymentType: covers } })}
    >
      <State on={set !== null} />
      <SelectField label="Protects" value={covers} onChange={setCovers} options={COVERS} />
    </SettingCard>
  )
}
