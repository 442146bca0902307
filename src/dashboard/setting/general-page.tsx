import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { PROJECT_NODE_VERSIONS } from '#contract/api/node-versions.ts'
import { useAccount, useParam } from '../api/account.tsx'
import { type Project, useProject } from '../project/project.ts'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Time } from '../ui/time.tsx'
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
      about="In the address of this page, and in the hosts of the deployments to come. Hosts that exist stay as they are."
      hint="Small letters, digits, dots, dashes and underscores; at most 100."
      action="Rename"
      changed={name !== project.name && name !== ''}
      busy={save.isPending}
      error={save.error}
      onSave={() =>
        save.mutate({ name }, { onSuccess: (saved) => named !== project.id && void lead(saved.name) })
      }
    >
      <TextField
        label="Name of the project"
        hideLabel
        value={name}
        onChange={setName}
        maxLength={100}
        required
        autoComplete="off"
        spellCheck={false}
      />
    </SettingCard>
  )
}

function NodeCard({ project }: { project: Project }) {
  const [version, setVersion] = useState(project.nodeVersion)
  const save = useSaveProject(project, { quiet: true, done: 'Saved. The next deployment is built with it.' })
  const known = PROJECT_NODE_VERSIONS.some((each) => each === project.nodeVersion)
  const options = [...(known ? [] : [project.nodeVersion]), ...PROJECT_NODE_VERSIONS]
  return (
    <SettingCard
      title="Node.js version"
      about="What deployments are built with, and what their functions run on."
      hint="“engines” in package.json goes before this."
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
      title="Who may read the source"
      about="The files that deployments were made from. Whoever owns the project always may."
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
          { value: 'as-deployed', label: 'As each deployment says; without a word, nobody else' },
          { value: 'public', label: 'Everybody who is signed in to this installation' },
        ]}
      />
    </SettingCard>
  )
}

export function GeneralPage() {
  const project = useProject()
  useTitle(`Settings of ${project.name}`)
  return (
    <>
      <NameCard key={project.name} project={project} />
      <NodeCard key={project.nodeVersion} project={project} />
      <SourceCard key={String(project.publicSource)} project={project} />
      <Card title="Folders">
        <SettingSwitch
          project={project}
          setting="directoryListing"
          label="List the files of folders without an index page"
          hint="Holds at once, for every deployment of the project."
        />
      </Card>
      <Card
        title="Project ID"
        about="For the API and the CLI: it stays when the project is renamed."
        footer={
          <span>
            Made <Time at={project.createdAt} />, changed <Time at={project.updatedAt} />.
          </span>
        }
      >
        <CopyLine text={project.id} label="Copy the project ID" />
      </Card>
    </>
  )
}
