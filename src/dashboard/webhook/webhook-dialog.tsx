import { useState } from 'react'
import { createWebhook, updateWebhook } from '#contract/api/webhook.ts'
import { useAction } from '../api/query.ts'
import { ProjectBoxes } from '../project/project-boxes.tsx'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { ShownOnce } from '../ui/dialog/shown-once.tsx'
import { EventBoxes } from './event-boxes.tsx'

interface WebhookFields {
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
      <ShownOnce
        title="Copy the secret now"
        about="Every request is signed with it in the x-platform-signature header. You won't be able to see it again."
        secret={save.data.secret}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={webhook === undefined ? 'New webhook' : 'Edit webhook'}
      onClose={onClose}
      action={webhook === undefined ? 'Create webhook' : 'Save'}
      busy={save.isPending}
      disabled={events.length === 0}
      onSubmit={() => save.mutate(undefined)}
    >
      <TextField
        label="URL"
        type="url"
        placeholder="https://example.com/aloft"
        error={save.problem}
        value={url}
        onChange={setUrl}
        required
      />
      <EventBoxes chosen={events} onChange={setEvents} />
      <ProjectBoxes chosen={projectIds} onChange={setProjectIds} />
    </FormDialog>
  )
}
