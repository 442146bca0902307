import { useState } from 'react'
import {
  ENV_TARGETS,
  getVariable,
  isReadable,
  listVariables,
  placesOf,
  removeVariable,
} from '#contract/api/env-variable.ts'
import { writeEnv } from '#contract/parse-env.ts'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'
import { useAllSecrets } from '../../api/lists.ts'
import { useAction, useRead } from '../../api/query.ts'
import { useSearchText } from '../../api/search.ts'
import { useProject } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/control/button.tsx'
import { CopyLine } from '../../ui/control/copy-button.tsx'
import { SelectField, TextField } from '../../ui/control/field.tsx'
import { Menu, MenuItem, MenuLabel } from '../../ui/control/menu.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useEnvironments } from '../environment/environments.ts'
import { SettingSwitch } from '../setting-switch.tsx'
import { useTitle } from '../use-title.ts'
import { PasteDialog } from './paste-dialog.tsx'
import { VariableDialog } from './variable-dialog.tsx'
import { VariableValue } from './variable-value.tsx'
import { TARGET_LABELS, targetsOf, typeLabel, type Variable } from './variables.ts'

type OpenDialog =
  | { readonly deed: 'add' }
  | { readonly deed: 'paste'; readonly text: string }
  | { readonly deed: 'change' | 'remove'; readonly variable: Variable }

export function VariablesPage() {
  const project = useProject()
  const { client } = useAccount()
  const params = { idOrName: project.id }
  const { envs } = useRead('env', listVariables, { params })
  const secrets = useAllSecrets()
  const environments = useEnvironments(project.id)
  const places = [
    ...ENV_TARGETS.map((value) => ({ value: value as string, label: TARGET_LABELS[value] })),
    ...environments.map(({ id, slug }) => ({ value: id, label: slug })),
  ]
  const [filter, setFilter] = useSearchText('q')
  const [target, setTarget] = useSearchText('target')
  const [asked, setAsked] = useState<OpenDialog>()
  useTitle(`${project.name} environment variables`)

  const close = () => setAsked(undefined)
  const remove = useAction(
    ({ id }: Variable, account) => account.client.call(removeVariable, { params: { ...params, id } }),
    { changes: ['env'], done: ({ key }) => `${key} removed. Existing deployments keep it.` },
  )

  /** Those that may be read are changed with their value before one’s eyes. */
  const change = async (variable: Variable) => {
    try {
      const read = isReadable(variable)
        ? await client.call(getVariable, { params: { ...params, id: variable.id } })
        : variable
      setAsked({ deed: 'change', variable: read })
    } catch (error) {
      toast.bad(explain(error))
    }
  }

  const copy = async (of: string) => {
    try {
      const all = await client.call(listVariables, { params, query: { decrypt: true } })
      const chosen = all.envs.filter((one) => placesOf(one).includes(of) && one.gitBranch === undefined)
      const hidden = chosen.filter((one) => !isReadable(one)).map(({ key }) => `# ${key} is hidden\n`)
      await navigator.clipboard.writeText(writeEnv(chosen.filter(isReadable)) + hidden.join(''))
      toast.good(`Copied ${count(chosen.length - hidden.length, 'variable')} as a .env file.`)
    } catch (error) {
      toast.bad(
        error instanceof DOMException
          ? 'Your browser blocked clipboard access. Use “aloft env pull” instead.'
          : explain(error),
      )
    }
  }

  const words = filter.trim().toLowerCase()
  const rows = envs.filter(
    (one) =>
      (words === '' ||
        `${one.key} ${one.comment ?? ''} ${one.gitBranch ?? ''}`.toLowerCase().includes(words)) &&
      (target === '' || placesOf(one).includes(target)),
  )
  const actions = (
    <>
      <Button icon="plus" look="primary" size="small" onClick={() => setAsked({ deed: 'add' })}>
        Add
      </Button>
      <Button icon="file" size="small" onClick={() => setAsked({ deed: 'paste', text: '' })}>
        Paste .env
      </Button>
      {envs.length > 0 && (
        <Menu
          trigger={
            <Button icon="copy" size="small">
              Copy as .env
            </Button>
          }
        >
          <MenuLabel>Environment</MenuLabel>
          {places.map(({ value, label }) => (
            <MenuItem key={value} onSelect={() => void copy(value)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  )

  return (
    <>
      <Card
        title="Environment variables"
        about="Available to builds and functions. Changes apply to new deployments."
        actions={actions}
        flush
      >
        {envs.length === 0 ? (
          <Empty icon="key" title="No variables yet">
            <p>Add a variable, paste a .env file, or use the command line:</p>
            <div className="mt-4 text-left">
              <CopyLine text={`aloft env add API_KEY --project ${project.name}`} />
            </div>
          </Empty>
        ) : (
          <>
            <div className="grid gap-3 px-5 pb-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
              <TextField
                label="Filter"
                hideLabel
                type="search"
                placeholder="Filter by name, note or branch…"
                value={filter}
                onChange={setFilter}
              />
              <SelectField
                label="Environment"
                hideLabel
                value={target}
                onChange={setTarget}
                options={[{ value: '', label: 'All environments' }, ...places]}
              />
            </div>
            {rows.length === 0 ? (
              <Empty icon="search" title="No matching variables" />
            ) : (
              <Table
                label="Environment variables"
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    title: 'Name',
                    cell: (one) => (
                      <div className="min-w-28">
                        <code className="font-mono text-xs font-medium break-all">{one.key}</code>
                        <p className="mt-0.5 text-xs text-soft">
                          {targetsOf(one, environments)}
                          {one.gitBranch !== undefined && ` · ${one.gitBranch}`}
                        </p>
                        {one.comment !== undefined && (
                          <p className="mt-0.5 text-xs text-soft">{one.comment}</p>
                        )}
                      </div>
                    ),
                  },
                  {
                    title: 'Value',
                    cell: (one) => (
                      <VariableValue
                        projectId={project.id}
                        variable={one}
                        secretName={secrets?.find(({ uid }) => uid === one.value)?.name}
                      />
                    ),
                  },
                  { title: 'Type', wide: true, cell: ({ type }) => <Badge>{typeLabel(type)}</Badge> },
                  { title: 'Updated', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
                actions={(one) => (
                  <span className="flex justify-end max-sm:flex-col">
                    <IconButton icon="gear" label={`Edit ${one.key}`} onClick={() => void change(one)} />
                    <IconButton
                      icon="trash"
                      label={`Remove ${one.key}`}
                      onClick={() => setAsked({ deed: 'remove', variable: one })}
                    />
                  </span>
                )}
              />
            )}
          </>
        )}
      </Card>
      <Card title="System variables">
        <SettingSwitch
          project={project}
          setting="autoExposeSystemEnvs"
          label="Expose system variables to deployments"
          hint="CI, PLATFORM_URL, PLATFORM_ENV, commit details and so on. Variables of type System are always set."
        />
      </Card>
      {asked?.deed === 'add' && (
        <VariableDialog
          project={project}
          onClose={close}
          onPaste={(text) => setAsked({ deed: 'paste', text })}
        />
      )}
      {asked?.deed === 'paste' && (
        <PasteDialog project={project} present={envs} begin={asked.text} onClose={close} />
      )}
      {asked?.deed === 'change' && (
        <VariableDialog project={project} variable={asked.variable} onClose={close} />
      )}
      {asked?.deed === 'remove' && (
        <Confirm
          title={`Remove ${asked.variable.key}?`}
          action="Remove variable"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.variable, { onSuccess: close })}
        >
          <p>
            New deployments won't have it ({targetsOf(asked.variable, environments).toLowerCase()}). Existing
            deployments keep it.
          </p>
        </Confirm>
      )}
    </>
  )
}
