import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { PROJECT_NODE_VERSIONS } from '#contract/api/node-versions.ts'
import { useAccount, useParam } from '../api/account.tsx'
import { type Project, useProject } from '../project/project.ts'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Time } from '../ui/text/time.tsx'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'
import { SettingSwitch } from './setting-switch.tsx'
import { useTitle } from './use-title.ts'

/** The name is in the address of every page of the project, so a new one leads to new addresses. */
function NameCard({ project }: { project: Project }) {
  const account = useAccount()
  const navigate = useNavigate()
  const named = useParam('project')
  const [name, setName] = useState(project.name)
  const save = useSaveProject(project, { quiet: true, done: 'Renamed.' })
  const lead = (to: string) =>
    navigate({
      to: '/a/$account/projects/$project/settings',
      params: { account: account.slug, project: to },
      replace: true,
    })
  return (
    <SettingCard
      title="Name"
      about="Used in the dashboard and in the URLs of new deployments. Existing URLs don't change."
      hint="Lowercase letters, digits, dots, hyphens and underscores; up to 100 characters."
      action="Rename"
      changed={name !== project.name && name !== ''}
      busy={save.isPending}
      error={save.error}
      onSave={() =>
        save.mutate({ name }, { onSuccess: (saved) => named !== project.id && void lead(saved.name) })
      }
    >
      <TextField
        label="Project name"
        hideLabel
        value={name}
        onChange={setName}
        maxLength={100}
        required
        literal
      />
    </SettingCard>
  )
}

function NodeCard({ project }: { project: Project }) {
  const [version, setVersion] = useState(project.nodeVersion)
  const save = useSaveProject(project, { quiet: true, done: 'Saved. Applies to the next deployment.' })
  const known = PROJECT_NODE_VERSIONS.some((each) => each === project.nodeVersion)
  const options = [...(known ? [] : [project.nodeVersion]), ...PROJECT_NODE_VERSIONS]
  return (
    <SettingCard
      title="Node.js version"
      about="Used for builds and functions."
      hint="“engines” in package.json takes precedence."
      changed={version !== project.nodeVersion}
      busy={save.isPending}
      error={save.error}
      onSave={() => {
        const nodeVersion = PROJECT_NODE_VERSIONS.find((each) => each === version)
        if (nodeVersion) save.mutate({ nodeVersion })
      }}
    >
      <SelectField
        label="Version"
        hideLabel
        value={version}
        onChange={setVersion}
        options={options.map((value) => ({ value, label: value }))}
      />
    </SettingCard>
  )
}

function SourceCard({ project }: { project: Project }) {
  const before = project.publicSource === true ? 'public' : 'as-deployed'
  const [source, setSource] = useState(before)
  const save = useSaveProject(project, { quiet: true })
  return (
    <SettingCard
      title="Source visibility"
      about="Who can view the deployed source files. Members of this account always can."
      changed={source !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ publicSource: source === 'public' ? true : null })}
    >
      <SelectField
        label="Source"
        hideLabel
        value={source}
        onChange={setSource}
        options={[
          { value: 'as-deployed', label: 'Private unless a deployment is public' },
          { value: 'public', label: 'Anyone signed in to this installation' },
        ]}
      />
    </SettingCard>
  )
}

export function GeneralPage() {
  const project = useProject()
  useTitle(`${project.name} settings`)
  return (
    <>
      <NameCard key={project.name} project={project} />
      <NodeCard key={project.nodeVersion} project={project} />
      <SourceCard key={String(project.publicSource)} project={project} />
      <Card title="Directory listing">
        <SettingSwitch
          project={project}
          setting="directoryListing"
          label="List files in folders without an index page"
          hint="Takes effect immediately for all deployments of this project."
        />
      </Card>
      <Card title="Notifications">
        <SettingSwitch
          project={project}
          setting="emailOnFailedBuild"
          label="Email on failed builds"
          hint="Sent to the person who deployed, with the error quoted. At most one every 10 minutes."
        />
      </Card>
      <Card
        title="Project ID"
        about="For the API and the command line. It doesn't change when you rename the project."
        footer={
          <span>
            Created <Time at={project.createdAt} />, updated <Time at={project.updatedAt} />
          </span>
        }
      >
        <CopyLine text={project.id} label="Copy project ID" />
      </Card>
    </>
  )
}
