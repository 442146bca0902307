import { useState } from 'react'
import { RepositoryChooser } from '../git/repository-chooser.tsx'
import type { ChosenRepository } from '../git/repository-list.tsx'
import { Button } from '../ui/control/button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { Card } from '../ui/layout/card.tsx'
import { submitting } from '../ui/submitting.ts'

/** A repository of a connected host, or any that Git can read by its address. */
export function RepositoryCard({
  onAddress,
  onChosen,
}: {
  onAddress: (url: string) => void
  onChosen: (chosen: ChosenRepository) => void
}) {
  const [url, setUrl] = useState('')
  return (
    <Card
      title="Import a Git repository"
      about="Deploys now, and again whenever the repository changes. You'll review the settings first."
    >
      <div className="space-y-5">
        <RepositoryChooser onChosen={onChosen} />
        <form className="flex flex-wrap items-end gap-3" onSubmit={submitting(() => onAddress(url.trim()))}>
          <div className="min-w-0 flex-1 basis-64">
            <TextField
              label="Or paste a repository URL"
              placeholder="https://github.com/me/site.git"
              value={url}
              onChange={setUrl}
              required
              maxLength={1000}
              literal
            />
          </div>
          <Button type="submit" disabled={url.trim() === ''}>
            Continue
          </Button>
        </form>
      </div>
    </Card>
  )
}
