import { useState } from 'react'
import type { Static } from 'typebox'
import { showBytes } from '#contract/amounts.ts'
import { listMachines, removeMachine, updateMachine } from '#contract/api/machine.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { RefreshButton } from './refresh-button.tsx'

type Machine = Static<typeof listMachines.reply>['machines'][number]

const ROLES: Readonly<Record<Machine['role'], string>> = { serve: 'Serves', work: 'Builds and runs' }

const usedOf = ({ free, total }: Machine['disk']): string =>
  total === 0 ? '–' : `${Math.round((100 * (total - free)) / total)}% of ${showBytes(total)}`

const State = ({ machine: { isAlive, isDraining } }: { machine: Machine }) => (
  <span className="inline-flex flex-wrap gap-1">
    {!isAlive && <Badge tone="bad">Not responding</Badge>}
    {isDraining && <Badge tone="warn">Draining</Badge>}
    {isAlive && !isDraining && <Badge tone="good">Healthy</Badge>}
  </span>
)

/** Every machine of the installation, with what it has to do, and a way to empty it. */
export function MachinesPage() {
  const { machines } = useRead('operator', listMachines)
  const [asked, setAsked] = useState<Machine>()
  const change = useAction(
    ({ name, draining }: { name: string; draining: boolean }, { client }) =>
      client.call(updateMachine, { params: { name }, body: { draining } }),
    {
      changes: ['operator'],
      done: (_, { name, draining }) => (draining ? `Draining ${name}.` : `${name} resumed.`),
      after: () => setAsked(undefined),
    },
  )
  const [leaving, setLeaving] = useState<Machine>()
  const remove = useAction((name: string, { client }) => client.call(removeMachine, { params: { name } }), {
    changes: ['operator'],
    done: (_, name) => `${name} is part of the installation no more.`,
    after: () => setLeaving(undefined),
  })
  return (
    <Page
      title="Machines"
      about="A machine that both serves and builds is listed once for each role."
      actions={<RefreshButton />}
    >
      <Card flush>
        {machines.length === 0 ? (
          <Empty icon="box" title="One machine">
            Several machines are listed here once they share PostgreSQL and Redis.
          </Empty>
        ) : (
          <Table
            label="Machines"
            rows={machines}
            rowKey={({ name, role }) => `${name} ${role}`}
            columns={[
              {
                title: 'Machine',
                cell: ({ name, role, origin }) => (
                  <>
                    <span className="block font-medium">{name}</span>
                    <span className="text-xs text-soft">
                      {ROLES[role]} · {origin}
                    </span>
                  </>
                ),
              },
              { title: 'Status', cell: (machine) => <State machine={machine} /> },
              { title: 'Version', wide: true, cell: ({ version }) => version },
              { title: 'Load', wide: true, align: 'right', cell: ({ load }) => load.toFixed(2) },
              { title: 'Memory used', wide: true, align: 'right', cell: ({ memory }) => usedOf(memory) },
              { title: 'Disk used', wide: true, align: 'right', cell: ({ disk }) => usedOf(disk) },
              { title: 'Started', wide: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
            ]}
            actions={(machine) => (
              <span className="inline-flex items-center gap-1">
                {machine.isDraining ? (
                  <Button
                    size="small"
                    busy={change.isPending}
                    onClick={() => change.mutate({ name: machine.name, draining: false })}
                  >
                    Resume
                  </Button>
                ) : (
                  <Button size="small" onClick={() => setAsked(machine)}>
                    Drain
                  </Button>
                )}
                <IconButton
                  icon="trash"
                  label={`Remove ${machine.name}`}
                  onClick={() => setLeaving(machine)}
                />
              </span>
            )}
          />
        )}
      </Card>
      {asked !== undefined && (
        <Confirm
          title={`Drain ${asked.name}?`}
          action="Drain machine"
          look="primary"
          busy={change.isPending}
          onConfirm={() => change.mutate({ name: asked.name, draining: true })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            It finishes its current work and gets no new builds, jobs or function requests until you resume
            it.
          </p>
        </Confirm>
      )}
      {leaving !== undefined && (
        <Confirm
          title={`Remove ${leaving.name}?`}
          action="Remove the machine"
          word={leaving.name}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.name)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            It stops for good, and the other machines take over its jobs and functions. To use it again, it
            has to join with an empty data folder.
          </p>
          <p>
            It still has the settings that all machines share. If somebody else may have its files, change the
            password of the database, the keys of the object store and the master key too.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
