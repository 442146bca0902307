import { useState } from 'react'
import type { Framework } from '#contract/api/project.ts'
import { type Project, useProject } from '../project/project.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { OverrideField } from './override-field.tsx'
import { frameworkOptions, INSTALL_USUAL, presetOf } from './presets.ts'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'
import { SettingSwitch } from './setting-switch.tsx'
import { useTitle } from './use-title.ts'

const DONE = 'Saved. The next deployment is built like this.'
const COMMANDS = ['framework', 'buildCommand', 'installCommand', 'devCommand', 'outputDirectory'] as const
type Commands = Pick<Project, (typeof COMMANDS)[number]>

function CommandsCard({ project }: { project: Project }) {
  const [chosen, setChosen] = useState<Commands>(project)
  const save = useSaveProject(project, { quiet: true, done: DONE })
  const set = (key: keyof Commands) => (value: string | null) => setChosen({ ...chosen, [key]: value })
  const preset = presetOf(chosen.framework)
  return (
    <SettingCard
      title="How it is built"
      about="The framework decides unless you override it. A configuration file in the source goes before all of this."
      hint="For deployments to come."
      changed={COMMANDS.some((key) => chosen[key] !== project[key])}
      busy={save.isPending}
      error={save.error}
      onSave={() =>
        save.mutate({
          framework: chosen.framework as Framework | null,
          buildCommand: chosen.buildCommand,
          installCommand: chosen.installCommand,
          devCommand: chosen.devCommand || null,
          outputDirectory: chosen.outputDirectory || null,
        })
      }
    >
      <SelectField
        label="Framework"
        value={chosen.framework ?? ''}
        onChange={(value) => set('framework')(value === '' ? null : value)}
        options={frameworkOptions()}
      />
      <OverrideField
        label="Build command"
        usual={preset.build || 'None'}
        emptyMeans="Empty: nothing is built."
        value={chosen.buildCommand}
        onChange={set('buildCommand')}
      />
      <OverrideField
        label="Output directory"
        usual={preset.output || 'The root directory'}
        emptyMeans="Empty: the framework decides."
        value={chosen.outputDirectory}
        onChange={set('outputDirectory')}
      />
      <OverrideField
        label="Install command"
        usual={INSTALL_USUAL}
        emptyMeans="Empty: nothing is installed."
        value={chosen.installCommand}
        onChange={set('installCommand')}
      />
      <OverrideField
        label="Development command"
        usual={preset.dev || 'None'}
        emptyMeans="Empty: the framework decides. Used on your own machine."
        value={chosen.devCommand}
        onChange={set('devCommand')}
      />
    </SettingCard>
  )
}

function RootCard({ project }: { project: Project }) {
  const [root, setRoot] = useState(project.rootDirectory ?? '')
  const save = useSaveProject(project, { quiet: true, done: DONE })
  return (
    <SettingCard
      title="Root directory"
      about="Where in the source the project is, for a repository that holds several."
      changed={root !== (project.rootDirectory ?? '')}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ rootDirectory: root || null })}
    >
      <TextField
        label="Root directory"
        hideLabel
        mono
        value={root}
        onChange={setRoot}
        placeholder="The whole source; or a folder such as apps/web"
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
      />
      <SettingSwitch
        project={project}
        setting="sourceFilesOutsideRootDirectory"
        label="Give the build the files outside of it too"
        hint="For packages that are shared in the repository."
      />
    </SettingCard>
  )
}

function IgnoreCard({ project }: { project: Project }) {
  const [command, setCommand] = useState(project.commandForIgnoringBuildStep)
  const save = useSaveProject(project, { quiet: true, done: DONE })
  return (
    <SettingCard
      title="When not to build"
      about="A command that is run before the build: when it ends with 0 the deployment is cancelled, else it is built."
      changed={(command || null) !== project.commandForIgnoringBuildStep}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ commandForIgnoringBuildStep: command || null })}
    >
      <OverrideField
        label="Command"
        usual="Every deployment is built"
        emptyMeans="Such as: git diff --quiet HEAD^ HEAD ./"
        value={command}
        onChange={setCommand}
      />
    </SettingCard>
  )
}

export function BuildPage() {
  const project = useProject()
  useTitle(`Build of ${project.name}`)
  return (
    <>
      <CommandsCard key={COMMANDS.map((key) => project[key]).join('\n')} project={project} />
      <RootCard key={`root ${project.rootDirectory}`} project={project} />
      <IgnoreCard key={`ignore ${project.commandForIgnoringBuildStep}`} project={project} />
    </>
  )
}
