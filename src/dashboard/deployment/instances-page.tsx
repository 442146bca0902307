import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { showMemory } from '#contract/amounts.ts'
import { getOutput, scaleInstances } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { read, useAction } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, ButtonLink } from '../ui/control/button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import {
  type Deployment,
  type DeploymentOutput,
  isOver,
  shortName,
  useDeployment,
  useOutput,
} from './deployment.ts'

/** The most instances of one program. */
const MOST = 10
/** When to look what came of scaling: instances start and end a little later. */
const LOOKS_AFTER = [1000, 3000, 8000]

/** The programs of a deployment that run, and how many of them may. */
export function InstancesPage() {
  const deployment = useDeployment()
  const output = useOutput(deployment.id)
  const account = useAccount()
  const queries = useQueryClient()
  const { queryKey } = read(account, 'deployment', getOutput, { params: { id: deployment.id } })
  const busy = useIsFetching({ queryKey }) > 0
  const look = () => void queries.invalidateQueries({ queryKey })
  const hasPrograms = output.programs.length > 0

  return (
    <Page
      title={`Instances of ${shortName(deployment.url, deployment.id)}`}
      heading="Instances"
      about="Running functions and servers of this deployment. They start on demand and stop when idle."
      actions={
        hasPrograms && (
          <Button icon="refresh" busy={busy} onClick={look}>
            Refresh
          </Button>
        )
      }
    >
      {hasPrograms ? (
        <>
          <Running deployment={deployment} output={output} />
          <Scale
            key={`${output.scale.min}-${output.scale.max}`}
            id={deployment.id}
            output={output}
            look={look}
          />
        </>
      ) : (
        <Card>
          <Empty
            icon="box"
            title={isOver(deployment.readyState) ? 'No instances needed' : 'Not built yet'}
            action={
              <ButtonLink
                to="/a/$account/deployments/$deployment/output"
                params={{ account: account.slug, deployment: deployment.id }}
              >
                View output
              </ButtonLink>
            }
          >
            {isOver(deployment.readyState)
              ? 'This deployment consists of static files only, so no instances are needed.'
              : 'Instances can start when the build finishes.'}
          </Empty>
        </Card>
      )}
    </Page>
  )
}

function Running({ deployment, output }: { deployment: Deployment; output: DeploymentOutput }) {
  const programs = new Map(output.programs.map((program) => [program.id, program]))
  const { instances } = output
  return (
    <Card
      title={count(instances.length, 'running instance')}
      about={deployment.regions.length > 0 && `In ${deployment.regions.join(', ')}.`}
      flush
    >
      {instances.length === 0 ? (
        <Empty icon="moon" title="Idle">
          No instances are running. The next request starts one and waits briefly (a cold start).
        </Empty>
      ) : (
        <Table
          label="Instances"
          rows={instances}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Instance',
              cell: ({ id }) => (
                <code className="block max-w-36 truncate font-mono text-[0.8125rem] sm:max-w-none" title={id}>
                  {id}
                </code>
              ),
            },
            {
              title: 'Entry',
              cell: ({ program }) => (
                <span className="font-mono text-[0.8125rem] break-all">
                  {programs.get(program)?.entry ?? program}
                </span>
              ),
            },
            {
              title: 'Memory',
              wide: true,
              align: 'right',
              cell: ({ program }) => showMemory(programs.get(program)?.memoryMb ?? 0),
            },
            { title: 'Status', wide: true, cell: () => <Badge tone="good">Running</Badge> },
            { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
          ]}
        />
      )}
    </Card>
  )
}

const whole = (text: string): number | undefined =>
  /^\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : undefined

function Scale({ id, output, look }: { id: string; output: DeploymentOutput; look: () => void }) {
  const { scale } = output
  const [min, setMin] = useState(String(scale.min))
  const [max, setMax] = useState(String(scale.max))
  const change = useAction(
    (body: { readonly min: number; readonly max: number }, { client }) =>
      client.call(scaleInstances, { params: { id }, body }),
    {
      changes: ['deployment'],
      quiet: true,
      done: ({ min, max }) =>
        min === max ? `Scaled to ${count(min, 'instance')}.` : `Scaling between ${min} and ${max} instances.`,
      after: () => {
        for (const ms of LOOKS_AFTER) setTimeout(look, ms)
      },
    },
  )
  const wanted = { min: whole(min), max: whole(max) }
  const problem =
    wanted.min === undefined || wanted.max === undefined
      ? 'Both values must be whole numbers.'
      : wanted.max > MOST
        ? `The maximum is ${MOST} instances.`
        : wanted.min > wanted.max
          ? 'Minimum can’t be greater than maximum.'
          : undefined
  const isChanged = wanted.min !== scale.min || wanted.max !== scale.max

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined && wanted.min !== undefined && wanted.max !== undefined)
          change.mutate({ min: wanted.min, max: wanted.max })
      }}
    >
      <Card
        title="Scaling"
        about="The minimum and maximum number of instances for each function or server."
        footer={
          <>
            <span>
              {output.instances.length === 0
                ? 'This deployment is idle. Visit it once to start an instance, then change the scaling.'
                : 'With a minimum of 0, instances stop when idle.'}
            </span>
            <Button
              look="primary"
              type="submit"
              busy={change.isPending}
              disabled={problem !== undefined || !isChanged}
            >
              Save
            </Button>
          </>
        }
      >
        <div className="grid max-w-md grid-cols-2 gap-4">
          <TextField label="Minimum" type="number" min={0} max={MOST} value={min} onChange={setMin} />
          <TextField label="Maximum" type="number" min={0} max={MOST} value={max} onChange={setMax} />
        </div>
        {(problem !== undefined || change.isError) && (
          <p role="alert" className="mt-3 text-sm text-bad">
            {problem ?? explain(change.error)}
          </p>
        )}
      </Card>
    </form>
  )
}
