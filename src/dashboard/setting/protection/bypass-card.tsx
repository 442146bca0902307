import { useState } from 'react'
import { changeProtectionBypass } from '#contract/api/project.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useAction } from '../../api/query.ts'
import { addressOf, type Project, productionHost } from '../../project/project.ts'
import { useIsProven } from '../../project/use-proven.ts'
import { Button, IconButton } from '../../ui/control/button.tsx'
import { CopyButton, CopyLine } from '../../ui/control/copy-button.tsx'
import { TextField } from '../../ui/control/field.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { Time } from '../../ui/text/time.tsx'

type BypassChange = NonNullable<BodyOf<(typeof changeProtectionBypass)['body']>>

const useChange = ({ id }: Project, done: string) =>
  useAction(
    (body: BypassChange, { client }) =>
      client.call(changeProtectionBypass, { params: { idOrName: id }, body }),
    { changes: ['project'], done },
  )

/** The newest of them is the one that was just made. */
const newest = (secrets: Readonly<Record<string, { createdAt: number }>>): string | undefined =>
  Object.entries(secrets).toSorted(([, a], [, b]) => b.createdAt - a.createdAt)[0]?.[0]

const masked = (secret: string): string => `${secret.slice(0, 4)}${'•'.repeat(12)}`

function HowToUse({ secret, host, onClose }: { secret: string; host: string; onClose: () => void }) {
  return (
    <Dialog
      wide
      title="Automation bypass secret"
      about="Anyone who has it can bypass this project's protection. Treat it like a password."
      onClose={onClose}
    >
      <div className="space-y-4 text-sm">
        <div>
          <p className="mb-1.5 font-medium">Secret</p>
          <CopyLine text={secret} label="Copy secret" />
        </div>
        <div>
          <p className="mb-1.5 font-medium">Use as a header</p>
          <CopyLine text={`curl -H "x-platform-protection-bypass: ${secret}" ${addressOf(host)}/`} />
        </div>
        <div>
          <p className="mb-1.5 font-medium">Use in a URL (the browser stores it in a cookie)</p>
          <CopyLine
            text={`${addressOf(host)}/?x-platform-protection-bypass=${secret}&x-platform-set-bypass-cookie=true`}
          />
        </div>
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function NewSecret({
  project,
  onMade,
  onClose,
}: {
  project: Project
  onMade: (secret: string) => void
  onClose: () => void
}) {
  const [own, setOwn] = useState('')
  const change = useChange(project, 'Secret created.')
  return (
    <FormDialog
      title="New secret"
      about="For end-to-end tests, monitoring and other automation."
      onClose={onClose}
      action="Create secret"
      busy={change.isPending}
      onSubmit={() =>
        change.mutate(
          { generate: own === '' ? {} : { secret: own } },
          { onSuccess: ({ protectionBypass }) => onMade(own || (newest(protectionBypass) ?? '')) },
        )
      }
    >
      <TextField
        label="Custom secret (optional)"
        hint="32 letters and digits. Leave empty to generate one."
        mono
        value={own}
        onChange={setOwn}
        pattern="[0-9A-Za-z]{32}"
        literal
      />
    </FormDialog>
  )
}

/** Secrets with which programs pass. */
export function BypassCard({ project }: { project: Project }) {
  const [asked, setAsked] = useState<
    { deed: 'make' } | { deed: 'show' | 'revoke' | 'replace'; secret: string }
  >()
  const change = useChange(project, 'Secret revoked.')
  const rows = Object.entries(project.protectionBypass ?? {})
    .map(([secret, about]) => ({ secret, ...about }))
    .toSorted((a, b) => b.createdAt - a.createdAt)
  const host = productionHost(project, useIsProven()) ?? `${project.name}.example.com`
  const close = () => setAsked(undefined)
  const make = (
    <Button icon="plus" size="small" onClick={() => setAsked({ deed: 'make' })}>
      New secret
    </Button>
  )
  return (
    <Card
      title="Automation bypass secrets"
      about="Let end-to-end tests, monitoring and other automation bypass this project's protection."
      actions={rows.length > 0 && make}
      flush
    >
      {rows.length === 0 ? (
        <Empty icon="key" title="No bypass secrets" action={make}>
          When protection is enabled, end-to-end tests and uptime checks need one.
        </Empty>
      ) : (
        <Table
          label="Automation bypass secrets"
          rows={rows}
          rowKey={({ secret }) => secret}
          columns={[
            {
              title: 'Secret',
              cell: ({ secret }) => <code className="font-mono text-xs">{masked(secret)}</code>,
            },
            { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          actions={({ secret }) => (
            <span className="flex justify-end">
              <CopyButton text={secret} label={`Copy ${masked(secret)}`} />
              <IconButton
                icon="eye"
                label={`Show usage of ${masked(secret)}`}
                onClick={() => setAsked({ deed: 'show', secret })}
              />
              <IconButton
                icon="refresh"
                label={`Replace ${masked(secret)}`}
                onClick={() => setAsked({ deed: 'replace', secret })}
              />
              <IconButton
                icon="trash"
                label={`Revoke ${masked(secret)}`}
                onClick={() => setAsked({ deed: 'revoke', secret })}
              />
            </span>
          )}
        />
      )}
      {asked?.deed === 'make' && (
        <NewSecret
          project={project}
          onClose={close}
          onMade={(secret) => setAsked({ deed: 'show', secret })}
        />
      )}
      {asked?.deed === 'show' && <HowToUse secret={asked.secret} host={host} onClose={close} />}
      {(asked?.deed === 'revoke' || asked?.deed === 'replace') && (
        <Confirm
          title={asked.deed === 'revoke' ? 'Revoke this secret?' : 'Replace this secret?'}
          action={asked.deed === 'revoke' ? 'Revoke secret' : 'Replace secret'}
          busy={change.isPending}
          onClose={close}
          onConfirm={() =>
            change.mutate(
              { revoke: { secret: asked.secret, regenerate: asked.deed === 'replace' } },
              {
                onSuccess: ({ protectionBypass }) => {
                  const made = asked.deed === 'replace' ? newest(protectionBypass) : undefined
                  setAsked(made === undefined ? undefined : { deed: 'show', secret: made })
                },
              },
            )
          }
        >
          <p>
            Requests with <code className="font-mono">{masked(asked.secret)}</code> or its cookie will no
            longer bypass protection.
          </p>
        </Confirm>
      )}
    </Card>
  )
}
