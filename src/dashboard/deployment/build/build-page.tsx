import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type LogEvent, readLog } from '#client/follow/log-events.ts'
import { listBuilds, type ReadyState } from '#contract/api/deployment.ts'
import { queueWords } from '#contract/words/queue-words.ts'
import { useAccount } from '../../api/account.tsx'
import { useRead } from '../../api/query.ts'
import { addressOf } from '../../project/project.ts'
import { SourceNote } from '../../project/source-note.tsx'
import { OutLink } from '../../ui/control/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { type Deployment, isOver, shortName, useDeployment, useOutput } from '../deployment.ts'
import { Unchanged } from '../unchanged.tsx'
import { BuildLog } from './build-log.tsx'
import { BuildHint, ErrorLines } from './error-quote.tsx'
import { stepsOf } from './steps.ts'
import { Timeline } from './timeline.tsx'
import { type BuildLogState, useBuildLog } from './use-build-log.ts'

/** The way of a deployment, what its build prints, and where it is in the end. */
export function DeploymentBuildPage() {
  const deployment = useDeployment()
  const { readyState: state } = deployment
  const { stateAt } = useOutput(deployment.id)
  const { builds } = useRead('deployment', listBuilds, { params: { id: deployment.id } })
  const first = useFirstLine(deployment.id, state)
  const seen = useSeen(state, stateAt)
  const log = useBuildLog(deployment.id)
  const ends = builds
    .filter(({ readyState }) => readyState === 'READY')
    .map(({ readyStateAt }) => readyStateAt)
  const isStatic = builds.every(({ use }) => /\/static(@|$)/.test(use))
  const steps = stepsOf({
    state,
    createdAt: deployment.createdAt,
    stateAt,
    firstLineAt: first?.created,
    builtAt: isStatic || ends.length < builds.length ? undefined : Math.max(...ends),
    errorStep: deployment.errorStep,
    seen,
  })

  return (
    <Page title={`Build of ${shortName(deployment.url, deployment.id)}`} heading="Build">
      {state === 'ERROR' && <Failure deployment={deployment} log={log} />}
      <Card>
        <Timeline steps={steps} />
        {deployment.queue !== undefined && (
          <p className="mt-4 text-sm text-soft">
            Other builds are running; {queueWords(deployment.queue, Date.now())}.
          </p>
        )}
      </Card>
      {isStatic && state === 'READY' ? (
        <Card title="Build log">
          <p className="text-sm text-soft">No build needed. The files are served as they are.</p>
        </Card>
      ) : (
        <Card title="Build log">
          <BuildLog id={deployment.id} log={log} />
        </Card>
      )}
      <About deployment={deployment} />
    </Page>
  )
}

/** When the build printed its first line: the moment from which it was not waiting any more. */
function useFirstLine(id: string, state: ReadyState): LogEvent | undefined {
  const account = useAccount()
  const { data } = useQuery({
    queryKey: [account.id, 'deployment', 'first line', id, isOver(state)],
    enabled: state !== 'INITIALIZING',
    queryFn: async () =>
      (await readLog(account.client, id, { builds: true, limit: 1, direction: 'forward' }))[0] ?? null,
  })
  return data ?? undefined
}

/** When each state was entered, of those that were seen. */
function useSeen(state: ReadyState, stateAt: number) {
  const [seen, setSeen] = useState<Partial<Record<ReadyState, number>>>({})
  useEffect(
    () => setSeen((before) => (before[state] === stateAt ? before : { ...before, [state]: stateAt })),
    [state, stateAt],
  )
  return seen
}

const Failure = ({ deployment, log }: { deployment: Deployment; log: BuildLogState }) => (
  <section role="alert" className="flex items-start gap-4 rounded-xl border border-line bg-panel p-5">
    <span className="grid size-10 shrink-0 place-items-center rounded-full bg-bad-soft text-bad">
      <Icon name="warning" className="size-5" />
    </span>
    <div className="min-w-0 flex-1 space-y-1">
      <h2 className="font-semibold">
        {deployment.errorCode === 'canceled'
          ? 'Build cancelled'
          : deployment.errorStep === 'deploy'
            ? 'Failed to start'
            : 'Build failed'}
      </h2>
      <p className="break-words">{deployment.errorMessage ?? 'See the build log below.'}</p>
      <BuildHint log={log} code={deployment.errorCode} said={deployment.errorMessage} />
      <Unchanged projectId={deployment.projectId} />
      <ErrorLines log={log} said={deployment.errorMessage} />
    </div>
  </section>
)

function About({ deployment }: { deployment: Deployment }) {
  const { slug: account } = useAccount()
  const { alias, aliasError, url, id } = deployment
  const hosts = [...alias, ...(url === null || alias.includes(url) ? [] : [url])]
  const isReady = deployment.readyState === 'READY'
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            'URLs',
            hosts.length === 0 ? (
              'Assigned when the files are uploaded'
            ) : (
              <span key="hosts" className="flex flex-col">
                {hosts.map((host) =>
                  isReady ? (
                    <OutLink
                      key={host}
                      href={addressOf(host)}
                      className="py-0.5 break-all text-accent hover:underline"
                    >
                      {host}
                    </OutLink>
                  ) : (
                    <span key={host} className="py-0.5 break-all">
                      {host}
                    </span>
                  ),
                )}
              </span>
            ),
          ],
          ...(aliasError === null
            ? []
            : [
                [
                  'Domain error',
                  <span key="error" className="text-bad">
                    {aliasError.message}
                  </span>,
                ] as const,
              ]),
          ['Source', <SourceNote key="source" meta={deployment.meta} />],
          ['Regions', deployment.regions.join(', ')],
          [
            'Files',
            <Link
              key="files"
              to="/a/$account/deployments/$deployment/source"
              params={{ account, deployment: id }}
              className="text-accent hover:underline"
            >
              View source
            </Link>,
          ],
          [
            'ID',
            <code key="id" className="font-mono text-[0.8125rem] break-all">
              {id}
            </code>,
          ],
        ]}
      />
    </Card>
  )
}
