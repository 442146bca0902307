import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createTeam } from '#contract/api/team.ts'
import { usePersonal } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'

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
    <Dialog
      title="New team"
      about="Projects, domains and secrets of a team belong to all of its members."
      onClose={onClose}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <TextField
          label="Name in addresses"
          hint="Small letters, digits and dashes, such as acme-web."
          error={problem}
          value={slug}
          onChange={setSlug}
          required
          maxLength={48}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Make the team
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
