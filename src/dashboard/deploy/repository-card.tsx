import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'

/** Any repository that Git can read, by its address. */
export function RepositoryCard({ onChosen }: { onChosen: (url: string) => void }) {
  const [url, setUrl] = useState('')
  return (
    <Card
      title="Deploy a Git repository"
      about="Deploys now, and again whenever the repository changes. You'll review the settings first."
    >
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          onChosen(url.trim())
        }}
      >
        <div className="min-w-0 flex-1 basis-64">
          <TextField
            label="Repository URL"
            placeholder="https://github.com/me/site.git"
            value={url}
            onChange={setUrl}
            required
            maxLength={1000}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <Button type="submit" disabled={url.trim() === ''}>
          Continue
        </Button>
      </form>
    </Card>
  )
}
