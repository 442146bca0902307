import { useState } from 'react'
import { addProjectDomain, updateProjectDomain } from '#contract/api/project-domain.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Checkbox, SelectField, TextField } from '../../ui/control/field.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Failure } from '../../ui/feedback/failure.tsx'
import { useEnvironments } from '../environment/environments.ts'
import type { ProjectDomain } from './project-domain.ts'

type Shows = 'production' | 'redirect' | 'branch' | 'environment'
const STATUSES = [
  { value: '307', label: '307 Temporary Redirect' },
  { value: '308', label: '308 Permanent Redirect' },
  { value: '302', label: '302 Found' },
  { value: '301', label: '301 Moved Permanently' },
] as const
type Status = (typeof STATUSES)[number]['value']
const CODES = { 301: 301, 302: 302, 307: 307, 308: 308 } as const

/** `example.com` has a `www` beside it, and the other way round. */
const twinOf = (name: string): string | undefined => {
  if (!/^[^.\s]+(\.[^.\s]+)+$/.test(name)) return undefined
  if (name.startsWith('www.')) return name.slice(4)
  return name.split('.').length === 2 ? `www.${name}` : undefined
}

/** Adds a domain, or changes what one shows. */
export function DomainDialog({
  project,
  domain,
  siblings,
  onClose,
}: {
  project: Project
  domain?: ProjectDomain
  siblings: readonly ProjectDomain[]
  onClose: () => void
}) {
  const [name, setName] = useState(domain?.name ?? '')
  const [shows, setShows] = useState<Shows>(
    domain?.redirect
      ? 'redirect'
      : domain?.gitBranch
        ? 'branch'
        : domain?.customEnvironmentId
          ? 'environment'
          : 'production',
  )
  const [redirect, setRedirect] = useState(domain?.redirect ?? '')
  const [status, setStatus] = useState<Status>(`${domain?.redirectStatusCode ?? 307}`)
  const [branch, setBranch] = useState(domain?.gitBranch ?? '')
  const [environment, setEnvironment] = useState(domain?.customEnvironmentId ?? '')
  const environments = useEnvironments(project.id)
  const [withTwin, setWithTwin] = useState(true)

  const wanted = name
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/.]+$/, '')
  const twin = domain === undefined && shows === 'production' ? twinOf(wanted) : undefined
  const others = siblings.filter((each) => each.name !== domain?.name)
  const offersTwin = twin !== undefined && !others.some((each) => each.name === twin)
  const save = useAction(
    async (_: undefined, { client }) => {
      const params = { idOrName: project.id }
      const settings = {
        redirect: shows === 'redirect' ? redirect : null,
        redirectStatusCode: shows === 'redirect' ? CODES[status] : null,
        gitBranch: shows === 'branch' ? branch : null,
        customEnvironmentId: shows === 'environment' ? environment : null,
      }
      if (domain !== undefined) {
        await client.call(updateProjectDomain, { params: { ...params, domain: domain.name }, body: settings })
        return
      }
      await client.call(addProjectDomain, { params, body: { name: wanted, ...settings } })
      if (offersTwin && withTwin)
        await client.call(addProjectDomain, {
          params,
          body: { name: twin, redirect: wanted, redirectStatusCode: 308 },
        })
    },
    {
      changes: ['project-domain', 'project', 'alias'],
      done: domain === undefined ? `${wanted} added.` : 'Saved.',
      quiet: true,
    },
  )

  return (
    <FormDialog
      title={domain === undefined ? 'Add domain' : `Edit ${domain.name}`}
      about={
        domain === undefined ? 'A domain you own, or a name under this installation’s domain.' : undefined
      }
      onClose={onClose}
      action={domain === undefined ? 'Add domain' : 'Save'}
      busy={save.isPending}
      disabled={(shows === 'redirect' && redirect === '') || (shows === 'environment' && environment === '')}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      {domain === undefined && (
        <TextField
          label="Domain"
          value={name}
          onChange={setName}
          placeholder="example.com"
          required
          maxLength={253}
          literal
        />
      )}
      <SelectField
        label="Connect to"
        value={shows}
        onChange={setShows}
        options={[
          { value: 'production', label: 'Production' },
          { value: 'redirect', label: 'Redirect to another domain' },
          { value: 'branch', label: 'Latest preview of a branch' },
          { value: 'environment', label: 'Another environment' },
        ]}
      />
      {shows === 'redirect' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Redirect to"
            value={redirect}
            onChange={setRedirect}
            options={[
              { value: '', label: others.length === 0 ? 'Add another domain first' : 'Select…' },
              ...others.map((each) => ({ value: each.name, label: each.name })),
            ]}
          />
          <SelectField label="Status code" value={status} onChange={setStatus} options={STATUSES} />
        </div>
      )}
      {shows === 'branch' && (
        <TextField label="Branch" value={branch} onChange={setBranch} required maxLength={250} literal />
      )}
      {shows === 'environment' && (
        <SelectField
          label="Environment"
          value={environment}
          onChange={setEnvironment}
          options={[
            { value: '', label: environments.length === 0 ? 'Add an environment first' : 'Select…' },
            ...environments.map(({ id, slug }) => ({ value: id, label: slug })),
          ]}
        />
      )}
      {offersTwin && (
        <Checkbox label={`Also add ${twin} and redirect it here`} checked={withTwin} onChange={setWithTwin} />
      )}
      <Failure error={save.error} />
    </FormDialog>
  )
}
