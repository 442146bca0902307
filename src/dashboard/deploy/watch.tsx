import { hostsOf } from '#client/hosts.ts'
import { getDeployment } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { useAccount } from '../api/account.tsx'
import { useLater, useRead } from '../api/query.ts'
import { BuildLog } from '../deployment/build/build-log.tsx'
import { BuildHint, ErrorLines } from '../deployment/build/error-quote.tsx'
import { type BuildLogState, useBuildLog } from '../deployment/build/use-build-log.ts'
import { Unchanged } from '../deployment/unchanged.tsx'
import { Preview } from '../project/preview.tsx'
import { addressOf } from '../project/project.ts'
import { useIsProven } from '../project/use-proven.ts'
import { StateBadge } from '../ui/badge.tsx'
import { Button, ButtonLink, buttonClass, OutLink } from '../ui/control/button.tsx'
import { CopyButton } from '../ui/control/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout/card.tsx'

type Deployment = ReturnType<typeof useDeployment>
const useDeployment = (id: string) => useRead('deployment', getDeployment, { params: { id } })

/** A deployment on its way: its build as it goes, and in the end where it is. */
export function Watch({ id, onAgain }: { id: string; onAgain: () => void }) {
  const deployment = useDeployment(id)
  const log = useBuildLog(id)
  const { readyState } = deployment
  return (
    <div className="space-y-6">
      {readyState === 'READY' ? (
        <Live deployment={deployment} onAgain={onAgain} />
      ) : readyState === 'ERROR' ? (
        <Broken deployment={deployment} log={log} onAgain={onAgain} />
      ) : (
        <Card
          title={`Building ${deployment.name}`}
          about="You can leave this page. The build continues."
          actions={<StateBadge state={readyState} code={deployment.errorCode} />}
        />
      )}
      {/* What needs no build has printed nothing. */}
      {(deployment.builds.length > 0 || readyState !== 'READY') && (
        <Card title="Build log">
          <BuildLog id={id} log={log} />
        </Card>
      )}
    </div>
  )
}

function Links({ deployment }: { deployment: Deployment }) {
  const { slug } = useAccount()
  const { data: project } = useLater('project', getProject, { params: { idOrName: deployment.projectId } })
  return (
    <>
      <ButtonLink
        to="/a/$account/projects/$project"
        params={{ account: slug, project: project?.name ?? deployment.projectId }}
      >
        Go to project
      </ButtonLink>
      <ButtonLink
        look="quiet"
        to="/a/$account/deployments/$deployment"
        params={{ account: slug, deployment: deployment.id }}
      >
        Deployment details
      </ButtonLink>
    </>
  )
}

function Live({ deployment, onAgain }: { deployment: Deployment; onAgain: () => void }) {
  const { id, name, target, customEnvironment, alias, createdAt } = deployment
  const host = hostsOf(deployment, useIsProven())[0] ?? ''
  const isHeldBack = target === 'production' && alias.length === 0
  return (
    <section className="grid overflow-hidden rounded-2xl border border-line bg-panel md:grid-cols-2">
      <OutLink href={addressOf(host)} className="block md:order-last md:border-l md:border-line">
        <Preview id={id} createdAt={createdAt} name={name} className="h-full" />
        <span className="sr-only">Open {host}</span>
      </OutLink>
      <div className="flex flex-col justify-center gap-5 p-6 sm:p-8">
        <span className="grid size-11 place-items-center rounded-full bg-good-soft text-good">
          <Icon name="check" className="size-6" />
        </span>
        <div role="status">
          <h2 className="text-xl font-semibold">
            {isHeldBack
              ? 'Your deployment is ready'
              : customEnvironment
                ? `Your deployment to ${customEnvironment.slug} is ready`
                : target === undefined
                  ? 'Your preview is ready'
                  : 'Your site is live'}
          </h2>
          <p className="mt-1 flex min-w-0 items-center gap-1">
            <OutLink href={addressOf(host)} className="min-w-0 break-all text-accent hover:underline">
              {host}
            </OutLink>
            <CopyButton text={addressOf(host)} label="Copy URL" />
          </p>
          {isHeldBack && (
            <p className="mt-2 text-sm text-soft">
              It isn't in production, because the project is paused or was rolled back. Promote it to make it
              live.
            </p>
          )}
          {target === undefined && (
            <p className="mt-2 text-sm text-soft">
              Production is unchanged until you promote this {customEnvironment ? 'deployment' : 'preview'}.
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          <a
            href={addressOf(host)}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass({ look: 'primary' })}
          >
            <Icon name="external" /> Visit<span className="sr-only"> (opens in a new tab)</span>
          </a>
          <Links deployment={deployment} />
          <Button look="quiet" icon="upload" onClick={onAgain}>
            Deploy again
          </Button>
        </div>
      </div>
    </section>
  )
}

const Broken = ({
  deployment,
  log,
  onAgain,
}: {
  deployment: Deployment
  log: BuildLogState
  onAgain: () => void
}) => (
  <section className="rounded-2xl border border-line bg-panel p-6 sm:p-8">
    <div role="alert" className="flex items-start gap-4">
      <span className="grid size-11 shrink-0 place-items-center rounded-full bg-bad-soft text-bad">
        <Icon name="warning" className="size-6" />
      </span>
      <div className="min-w-0">
        <h2 className="text-xl font-semibold">The build failed</h2>
        <p className="mt-1 break-words">{deployment.errorMessage ?? 'See the build log below.'}</p>
        <BuildHint log={log} code={deployment.errorCode} said={deployment.errorMessage} />
        <Unchanged projectId={deployment.projectId} />
      </div>
    </div>
    <ErrorLines log={log} said={deployment.errorMessage} />
    <div className="mt-5 flex flex-wrap gap-2">
      <Button look="primary" icon="upload" onClick={onAgain}>
        Try again
      </Button>
      <Links deployment={deployment} />
    </div>
  </section>
)
