import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createTeam } from '#contract/api/team.ts'
import { usePersonal } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

/** Makes a team, which shares projects, domains and everything else among its members. */
export function NewTeamDialog({ onClose, onMade }: { onClose: () => void; onMade: (slug: string) => void }) {
  const { client } = usePersonal()
  const queries = useQueryClient()
  const [slug, setSlug] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  const make = async () => {
    setBusy(true)
    try {
      await client.call(createTeam, { body: { slug } })
      await queries.invalidateQueries({ queryKey: ['accounts'] })
      onClose()
      onMade(slug)
    } catch (error) {
      setProblem(explain(error))
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title="New team"
      about="A team's projects, domains and secrets are shared by all of its members."
      onClose={onClose}
      action="Create team"
      busy={busy}
      onSubmit={() => void make()}
    >
      <TextField
        label="Team slug"
        hint="Used in URLs. Lowercase letters, digits and hyphens, such as acme-web."
        error={problem}
        value={slug}
        onChange={setSlug}
        required
        maxLength={48}
        literal
      />
    </FormDialog>
  )
}
