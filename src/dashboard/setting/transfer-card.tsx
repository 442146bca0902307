import { useState } from 'react'
import { cancelOffer, offerProject } from '#contract/api/project.ts'
import { useAction } from '../api/query.ts'
import type { Project } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Time } from '../ui/time.tsx'
import { AcceptTransfer } from './accept-transfer.tsx'

const DAY_MS = 86_400_000

/** When the offer ends, if there is one. */
function offeredUntil({ transferStartedAt, transferCompletedAt }: Project): number | undefined {
  if (transferStartedAt === undefined || transferCompletedAt !== undefined) return undefined
  const until = transferStartedAt + DAY_MS
  return until > Date.now() ? until : undefined
}

/** Gives the project to another account, which takes it with a code. */
export function TransferCard({ project }: { project: Project }) {
  const [code, setCode] = useState<string>()
  const [accepting, setAccepting] = useState(false)
  const params = { idOrName: project.id }
  const offer = useAction((_: undefined, { client }) => client.call(offerProject, { params }), {
    changes: ['project'],
  })
  const cancel = useAction((_: undefined, { client }) => client.call(cancelOffer, { params }), {
    changes: ['project'],
    done: 'The offer is taken back. The code is worth nothing now.',
  })
  const until = offeredUntil(project)
  const make = () => offer.mutate(undefined, { onSuccess: (reply) => setCode(reply.code) })
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            Give to another account {until !== undefined && <Badge tone="warn">Offered</Badge>}
          </span>
        }
        about="Deployments, hosts, domains and variables change hands at once, and visitors notice nothing. Secrets for programs do not go along."
        actions={
          until === undefined ? (
            <Button busy={offer.isPending} onClick={make}>
              Offer the project
            </Button>
          ) : (
            <>
              <Button busy={offer.isPending} onClick={make}>
                New code
              </Button>
              <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
                Take it back
              </Button>
            </>
          )
        }
        footer={
          <>
            <span>
              {until === undefined ? (
                'Somebody offered a project to you?'
              ) : (
                <>
                  The offer ends <Time at={until} />. Variables and domains cannot be changed until then.
                </>
              )}
            </span>
            <Button size="small" look="quiet" onClick={() => setAccepting(true)}>
              I have a code
            </Button>
          </>
        }
      />
      {code !== undefined && (
        <Dialog
          title="Hand this code over"
          about="Whoever has it can take the project within 24 hours. It is shown this once."
          onClose={() => setCode(undefined)}
        >
          <div className="space-y-4 text-sm">
            <CopyLine text={code} label="Copy the code" />
            <p className="text-soft">
              They take it under “I have a code” on their own pages, or with the CLI:
            </p>
            <CopyLine text={`npx aloft projects accept ${code}`} />
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
