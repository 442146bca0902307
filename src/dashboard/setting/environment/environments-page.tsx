import { useState } from 'react'
import { deleteEnvironment, listEnvironments } from '#contract/api/custom-environment.ts'
import { branchRule } from '#contract/words/branch-rule.ts'
import { useAction, useRead } from '../../api/query.ts'
import { addressOf, useProject } from '../../project/project.ts'
import { Button, IconButton, OutLink } from '../../ui/control/button.tsx'
import { CopyLine } from '../../ui/control/copy-button.tsx'
import { Checkbox } from '../../ui/control/field.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { useTitle } from '../use-title.ts'
import { EnvironmentDialog } from './environment-dialog.tsx'
import type { Environment } from './environments.ts'

type OpenDialog =
  | { readonly deed: 'add' }
  | { readonly deed: 'change' | 'remove'; readonly environment: Environment }

/** The address that is named after it, and its domains. */
const hostsOf = ({ slug, domains, currentDeploymentAliases }: Environment): readonly string[] => [
  ...domains.map(({ name }) => name),
  ...currentDeploymentAliases.filter((host) => host.includes(`-env-${slug}-`)),
]

/** The environments of a project beside production, previews and development. */
export function EnvironmentsPage() {
  const project = useProject()
  const params = { idOrName: project.id }
  const { environments } = useRead('project', listEnvironments, { params })
  const [asked, setAsked] = useState<OpenDialog>()
  const [withVariables, setWithVariables] = useState(false)
  useTitle(`${project.name} environments`)

  const close = () => setAsked(undefined)
  const remove = useAction(
    ({ id }: Environment, { client }) =>
      client.call(deleteEnvironment, {
        params: { ...params, environmentSlugOrId: id },
        body: { deleteUnassignedEnvironmentVariables: withVariables },
      }),
    { changes: ['project', 'env', 'alias'], done: ({ slug }) => `${slug} deleted.` },
  )
  const add = (
    <Button icon="plus" look="primary" size="small" onClick={() => setAsked({ deed: 'add' })}>
      Add
    </Button>
  )

  return (
    <>
      <Card
        title="Environments"
        about="In addition to production and previews, each with its own variables, domains and branches."
        actions={environments.length > 0 && add}
        flush
      >
        {environments.length === 0 ? (
          <Empty icon="box" title="No environments yet" action={add}>
            <p>Add one such as staging, then deploy to it:</p>
            <div className="mt-4 text-left">
              <CopyLine text="aloft deploy --target staging" />
            </div>
          </Empty>
        ) : (
          <Table
            label="Environments"
            rows={environments}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Name',
                cell: (environment) => (
                  <div className="min-w-24">
                    <span className="font-medium">{environment.slug}</span>
                    {hostsOf(environment).map((host) => (
                      <OutLink
                        key={host}
                        href={addressOf(host)}
                        className="block max-w-40 truncate text-xs text-soft hover:underline md:hidden"
                      >
                        {host}
                      </OutLink>
                    ))}
                    {environment.description !== undefined && (
                      <p className="mt-0.5 text-xs text-soft">{environment.description}</p>
                    )}
                  </div>
                ),
              },
              {
                title: 'Branch',
                cell: ({ branchMatcher }) =>
                  branchMatcher ? (
                    <code className="font-mono text-xs break-all">{branchRule(branchMatcher)}</code>
                  ) : (
                    <span className="text-soft">None</span>
                  ),
              },
              {
                title: 'URL',
                wide: true,
                cell: (environment) =>
                  hostsOf(environment).length === 0 ? (
                    <span className="text-soft">Nothing deployed yet</span>
                  ) : (
                    hostsOf(environment).map((host) => (
                      <OutLink
                        key={host}
                        href={addressOf(host)}
                        className="block max-w-64 truncate hover:underline"
                      >
                        {host}
                      </OutLink>
                    ))
                  ),
              },
            ]}
            actions={(environment) => (
              <span className="flex justify-end max-sm:flex-col">
                <IconButton
                  icon="gear"
                  label={`Edit ${environment.slug}`}
                  onClick={() => setAsked({ deed: 'change', environment })}
                />
                <IconButton
                  icon="trash"
                  label={`Delete ${environment.slug}`}
                  onClick={() => setAsked({ deed: 'remove', environment })}
                />
              </span>
            )}
          />
        )}
      </Card>
      {(asked?.deed === 'add' || asked?.deed === 'change') && (
        <EnvironmentDialog
          project={project}
          environment={asked.deed === 'change' ? asked.environment : undefined}
          others={environments}
          onClose={close}
        />
      )}
      {asked?.deed === 'remove' && (
        <Confirm
          title={`Delete ${asked.environment.slug}?`}
          action="Delete environment"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.environment, { onSuccess: close })}
        >
          <p className="mb-3">Its deployments stay, each at its own URL.</p>
          <Checkbox
            label="Also delete variables that are set nowhere else"
            checked={withVariables}
            onChange={setWithVariables}
          />
        </Confirm>
      )}
    </>
  )
}
