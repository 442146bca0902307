import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { getTeam, updateTeam } from '#contract/api/team.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Switch, TextField } from '../ui/control/field.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { submitting } from '../ui/submitting.ts'
import { OfTeam } from './of-team.tsx'

export const TeamSettingsPage = () => (
  <OfTeam>
    <TeamSettings />
  </OfTeam>
)

function TeamSettings() {
  const { id } = useAccount()
  const team = useRead('team', getTeam, { params: { id } })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [name, setName] = useState(team.name)
  const [slug, setSlug] = useState(team.slug)
  const save = useAction(
    (_input: undefined, { client }) => client.call(updateTeam, { params: { id }, body: { name, slug } }),
    {
      changes: ['team'],
      done: 'Saved.',
      quiet: true,
      after: async () => {
        await queries.invalidateQueries({ queryKey: ['accounts'] })
        await navigate({ to: '/a/$account/settings', params: { account: slug }, replace: true })
      },
    },
  )
  const allow = useAction(
    (membersMayEditProduction: boolean, { client }) =>
      client.call(updateTeam, { params: { id }, body: { membersMayEditProduction } }),
    { changes: ['team'], done: 'Saved.' },
  )

  return (
    <Page title="Team settings">
      <form onSubmit={submitting(() => save.mutate(undefined))}>
        <Card
          title="Name"
          footer={
            <>
              <span>Only owners can change this. Links with the old slug stop working.</span>
              <Button
                look="primary"
                type="submit"
                busy={save.isPending}
                disabled={name === team.name && slug === team.slug}
              >
                Save
              </Button>
            </>
          }
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Name" value={name} onChange={setName} required maxLength={256} />
            <TextField
              label="Team slug"
              hint="Used in URLs. Lowercase letters, digits and hyphens."
              error={save.problem}
              value={slug}
              onChange={setSlug}
              required
              maxLength={48}
              spellCheck={false}
            />
          </div>
        </Card>
      </form>
      <Card title="Members">
        <Switch
          label="Members can edit production variables"
          hint="When off, only owners can add, edit and remove production variables."
          checked={team.membersMayEditProduction}
          disabled={allow.isPending}
          onChange={(next) => allow.mutate(next)}
        />
      </Card>
      <Card title="Team ID" about="Pass it as teamId to use the API on behalf of this team.">
        <CopyLine text={id} label="Copy team ID" />
      </Card>
    </Page>
  )
}
