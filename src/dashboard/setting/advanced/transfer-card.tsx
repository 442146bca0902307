import { useState } from 'react'
import { cancelOffer, offerProject } from '#contract/api/project-transfer.ts'
import { DAY } from '#contract/time.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/control/button.tsx'
import { CopyLine } from '../../ui/control/copy-button.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Time } from '../../ui/text/time.tsx'
import { AcceptTransfer } from './accept-transfer.tsx'

/** When the offer ends, if there is one. */
function offeredUntil({ transferStartedAt, transferCompletedAt }: Project): number | undefined {
  if (transferStartedAt === undefined || transferCompletedAt !== undefined) return undefined
  const until = transferStartedAt + DAY
  return until > Date.now() ? until : undefined
}

/** Gives the project to another account, which takes it with a code. */
export function TransferCard({ project }: { project: Project }) {
  const [code, setCode] = useState<string>()
  const [accepting, setAccepting] = useState(false)
  const [asking, setAsking] = useState(false)
  const params = { idOrName: project.id }
  const offer = useAction((_: undefined, { client }) => client.call(offerProject, { params }), {
    changes: ['project'],
  })
  const cancel = useAction((_: undefined, { client }) => client.call(cancelOffer, { params }), {
    changes: ['project'],
    done: 'Transfer cancelled. The code no longer works.',
  })
  const until = offeredUntil(project)
  const make = () =>
    offer.mutate(undefined, {
      onSuccess: (reply) => {
        setAsking(false)
        setCode(reply.code)
      },
    })
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            Transfer project {until !== undefined && <Badge tone="warn">Pending</Badge>}
          </span>
        }
        about="Move the project with its deployments, domains and variables to another account, without downtime. Automation bypass secrets are not transferred."
        actions={
          until === undefined ? (
            <Button onClick={() => setAsking(true)}>Transfer project…</Button>
          ) : (
            <>
              <Button busy={offer.isPending} onClick={make}>
                New code
              </Button>
              <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
                Cancel transfer
              </Button>
            </>
          )
        }
        footer={
          <>
            <span>
              {until === undefined ? (
                'Did someone transfer a project to you?'
              ) : (
                <>
                  The code expires <Time at={until} />. Variables and domains can't be changed until then.
                </>
              )}
            </span>
            <Button size="small" look="quiet" onClick={() => setAccepting(true)}>
              Accept a transfer
            </Button>
          </>
        }
      />
      {asking && (
        <Confirm
          title={`Transfer ${project.name}?`}
          action="Create transfer code"
          busy={offer.isPending}
          onClose={() => setAsking(false)}
          onConfirm={make}
        >
          <p>
            You get a code that lets anyone accept the project within 24 hours. Until it's accepted, cancelled
            or expired, the project's variables and domains can't be changed.
          </p>
        </Confirm>
      )}
      {code !== undefined && (
        <Dialog
          title="Transfer code"
          about="Anyone with this code can accept the project within 24 hours. You won't be able to see it again."
          onClose={() => setCode(undefined)}
        >
          <div className="space-y-4 text-sm">
            <CopyLine text={code} label="Copy code" />
            <p className="text-soft">
              The recipient selects “Accept a transfer” on their Projects page, or runs:
            </p>
            <CopyLine text={`aloft projects accept ${code}`} />
            <div className="flex justify-end">
              <Button look="primary" onClick={() => setCode(undefined)}>
                Done
              </Button>
            </div>
          </div>
        </Dialog>
      )}
      {accepting && <AcceptTransfer onClose={() => setAccepting(false)} />}
    </>
  )
}
