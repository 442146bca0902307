import { useState } from 'react'
import { createWebhook, updateWebhook } from '#contract/api/webhook.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { ProjectBoxes } from '../project/project-boxes.tsx'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { EventBoxes } from './event-boxes.tsx'

export interface WebhookFields {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly projectIds?: readonly string[]
}

/** Makes a webhook, or changes one. */
export function WebhookDialog({ webhook, onClose }: { webhook?: WebhookFields; onClose: () => void }) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<readonly string[]>(
    webhook?.events ?? ['deployment.ready', 'deployment.error'],
  )
  const [projectIds, setProjectIds] = useState<readonly string[]>(webhook?.projectIds ?? [])
  const save = useAction(
    async (_input: undefined, { client }) => {
      const body = { url, events: [...events] }
      if (webhook === undefined)
        return client.call(createWebhook, {
          body: { ...body, ...(projectIds.length > 0 && { projectIds: [...projectIds] }) },
        })
      await client.call(updateWebhook, {
        params: { id: webhook.id },
        body: { ...body, projectIds: projectIds.length > 0 ? [...projectIds] : null },
      })
      onClose()
      return undefined
    },
    { changes: ['webhook'], quiet: true },
  )

  if (save.data !== undefined)
    return (
      <Dialog
        title="Copy the secret now"
        about="Every request is signed with it, in the header x-platform-signature. It is shown this once."
        onClose={onClose}
      >
        <CopyLine text={save.data.secret} label="Copy the secret" />
        <div className="mt-5 flex justify-end">
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={webhook === undefined ? 'New webhook' : 'Change the webhook'} onClose={onClose}>
      <form
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(undefined)
        }}
      >
        <TextField
          label="Address"
          type="url"
          placeholder="https://example.com/aloft"
          error={save.error === null ? undefined : explain(save.error)}
          value={url}
          onChange={setUrl}
          required
        />
        <EventBoxes chosen={events} onChange={setEvents} />
        <ProjectBoxes chosen={projectIds} onChange={setProjectIds} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={save.isPending} disabled={events.length === 0}>
            {webhook === undefined ? 'Make the webhook' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
