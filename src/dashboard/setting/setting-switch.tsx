import type { ReactNode } from 'react'
import type { Project } from '../project/project.ts'
import { Switch } from '../ui/control/field.tsx'
import { type ProjectChange, useSaveProject } from './save-project.ts'

type SwitchKey = {
  [K in keyof Project & keyof ProjectChange]: Project[K] extends boolean ? K : never
}[keyof Project & keyof ProjectChange]

/** A setting that is on or off and takes effect as soon as it is switched. */
export function SettingSwitch({
  project,
  setting,
  label,
  hint,
  done,
}: {
  project: Project
  setting: SwitchKey
  label: string
  hint?: ReactNode
  done?: string
}) {
  const save = useSaveProject(project, done === undefined ? {} : { done })
  // What was asked for is shown at once; if it fails, what holds comes back.
  const checked = save.isPending ? save.variables[setting] === true : project[setting]
  return (
    <Switch
      label={label}
      hint={hint}
      checked={checked}
      disabled={save.isPending}
      onChange={(on) => save.mutate({ [setting]: on })}
    />
  )
}
