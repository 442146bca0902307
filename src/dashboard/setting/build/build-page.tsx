import { useState } from 'react'
import type { Framework } from '#contract/api/project.ts'
import { ORIGINS } from '#contract/origins.ts'
import { type Project, useProject } from '../../project/project.ts'
import { SelectField, TextField } from '../../ui/control/field.tsx'
import { useSaveProject } from '../save-project.ts'
import { SettingCard } from '../setting-card.tsx'
import { SettingSwitch } from '../setting-switch.tsx'
import { useTitle } from '../use-title.ts'
import { OverrideField } from './override-field.tsx'
import { frameworkOptions, INSTALL_USUAL, presetOf } from './presets.ts'

const DONE = 'Saved. Applies to the next deployment.'
const COMMANDS = ['framework', 'buildCommand', 'installCommand', 'devCommand', 'outputDirectory'] as const
type Commands = Pick<Project, (typeof COMMANDS)[number]>

function CommandsCard({ project }: { project: Project }) {
  const [chosen, setChosen] = useState<Commands>(project)
  const save = useSaveProject(project, { quiet: true, done: DONE })
  const set = (key: keyof Commands) => (value: string | null) => setChosen({ ...chosen, [key]: value })
  const preset = presetOf(chosen.framework)
  return (
    <SettingCard
      title="Build settings"
      about="Detected from the framework unless you override them. A configuration file in the source takes precedence."
      hint="Applies to new deployments."
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
        emptyMeans="Leave empty to skip the build."
        value={chosen.buildCommand}
        onChange={set('buildCommand')}
      />
      <OverrideField
        label="Output directory"
        usual={preset.output || 'Root directory'}
        emptyMeans="Leave empty to use the framework default."
        value={chosen.outputDirectory}
        onChange={set('outputDirectory')}
      />
      <OverrideField
        label="Install command"
        usual={INSTALL_USUAL}
        emptyMeans="Leave empty to skip installation."
        value={chosen.installCommand}
        onChange={set('installCommand')}
      />
      <OverrideField
        label="Development command"
        usual={preset.dev || 'None'}
        emptyMeans="Leave empty to use the framework default. Used by aloft dev."
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
      about="The folder that contains this project, for example in a monorepo."
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
        placeholder="Repository root, or a folder such as apps/web"
        maxLength={256}
        literal
      />
      <SettingSwitch
        project={project}
        setting="sourceFilesOutsideRootDirectory"
        label="Include files outside the root directory in the build"
        hint="Needed for packages shared within a monorepo."
      />
    </SettingCard>
  )
}

function IgnoreCard({ project }: { project: Project }) {
  const [command, setCommand] = useState(project.commandForIgnoringBuildStep)
  const save = useSaveProject(project, { quiet: true, done: DONE })
  return (
    <SettingCard
      title="Ignored build step"
      about="A command that runs before each build. If it exits with 0, the deployment is cancelled; otherwise it is built."
      changed={(command || null) !== project.commandForIgnoringBuildStep}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ commandForIgnoringBuildStep: command || null })}
    >
      <OverrideField
        label="Command"
        usual="Build every deployment"
        emptyMeans="For example: git diff --quiet HEAD^ HEAD ./"
        value={command}
        onChange={setCommand}
      />
    </SettingCard>
  )
}

const REGIONS: readonly string[] = [...ORIGINS, 'all']
const REGION_NAMES: Readonly<Record<string, string>> = { all: 'All regions' }

function RegionCard({ project }: { project: Project }) {
  const before = project.serverlessFunctionRegion ?? ''
  const [region, setRegion] = useState(before)
  const save = useSaveProject(project, { quiet: true, done: DONE })
  // Tools may have set another one through the API.
  const regions = before === '' || REGIONS.includes(before) ? REGIONS : [before, ...REGIONS]
  return (
    <SettingCard
      title="Function region"
      about="Where functions run, on an installation with machines in several regions. A configuration file in the source takes precedence."
      hint="Applies to new deployments."
      changed={region !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ serverlessFunctionRegion: region || null })}
    >
      <SelectField
        label="Function region"
        hideLabel
        value={region}
        onChange={setRegion}
        options={[
          { value: '', label: 'Default region' },
          ...regions.map((value) => ({ value, label: REGION_NAMES[value] ?? value })),
        ]}
      />
    </SettingCard>
  )
}

export function BuildPage() {
  const project = useProject()
  useTitle(`${project.name} build settings`)
  return (
    <>
      <CommandsCard key={COMMANDS.map((key) => project[key]).join('\n')} project={project} />
      <RootCard key={`root ${project.rootDirectory}`} project={project} />
      <RegionCard key={`region ${project.serverlessFunctionRegion}`} project={project} />
      <IgnoreCard key={`ignore ${project.commandForIgnoringBuildStep}`} project={project} />
    </>
  )
}
