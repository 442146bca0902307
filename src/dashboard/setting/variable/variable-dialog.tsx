import { useState } from 'react'
import { asWhere } from '#client/variable-places.ts'
import { createVariables, type EnvType, placesOf, updateVariable } from '#contract/api/env-variable.ts'
import { useAllSecrets } from '../../api/lists.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { SelectField, TextArea, TextField } from '../../ui/control/field.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Failure } from '../../ui/feedback/failure.tsx'
import { useEnvironments } from '../environment/environments.ts'
import { TargetBoxes } from './target-boxes.tsx'
import { SYSTEM_NAMES, TYPES, type Variable } from './variables.ts'

/** Adds a variable, or changes the one that is given with its value. */
export function VariableDialog({
  project,
  variable,
  onPaste,
  onClose,
}: {
  project: Project
  /** With its value, where that may be read. */
  variable?: Variable | undefined
  /** Somebody put a whole file into the field for the name. */
  onPaste?: (text: string) => void
  onClose: () => void
}) {
  const [key, setKey] = useState(variable?.key ?? '')
  const [value, setValue] = useState(variable?.value ?? '')
  const [type, setType] = useState<EnvType>(variable?.type ?? 'encrypted')
  const [targets, setTargets] = useState<readonly string[]>(
    variable ? placesOf(variable) : ['production', 'preview'],
  )
  const environments = useEnvironments(project.id)
  const [branch, setBranch] = useState(variable?.gitBranch ?? '')
  const [comment, setComment] = useState(variable?.comment ?? '')
  const secrets = useAllSecrets({ enabled: type === 'secret' })

  const isSensitive = variable?.type === 'sensitive'
  const target = targets.filter((each) => type !== 'sensitive' || each !== 'development')
  const onlyPreview = target.length === 1 && target[0] === 'preview'
  const save = useAction(
    async (_: undefined, { client }) => {
      const common = {
        key,
        type,
        gitBranch: onlyPreview && branch !== '' ? branch : null,
        comment: comment || null,
        ...asWhere(target, variable),
        // Said by the list alone from now on.
        ...(variable?.customEnvironmentId !== undefined && { customEnvironmentId: null }),
      }
      const params = { idOrName: project.id }
      if (variable === undefined) await client.call(createVariables, { params, body: { ...common, value } })
      else
        await client.call(updateVariable, {
          params: { ...params, id: variable.id },
          // What cannot be read is not to be emptied by accident.
          body: isSensitive && value === '' ? common : { ...common, value },
        })
    },
    { changes: ['env'], done: `${key} saved. It applies to new deployments.`, quiet: true },
  )

  return (
    <FormDialog
      title={variable === undefined ? 'Add variable' : `Edit ${variable.key}`}
      about="Changes apply to new deployments. Existing ones keep their values."
      onClose={onClose}
      action={variable === undefined ? 'Add variable' : 'Save'}
      busy={save.isPending}
      disabled={target.length === 0}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      <TextField
        label="Name"
        mono
        value={key}
        onChange={setKey}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text')
          if (onPaste === undefined || !/^\s*(?:export\s+)?\w+\s*=/m.test(text)) return
          event.preventDefault()
          onPaste(text)
        }}
        hint={
          variable === undefined
            ? 'Letters, digits and underscores. You can also paste a .env file here.'
            : undefined
        }
        required
        maxLength={256}
        literal
      />
      <SelectField
        label="Type"
        value={type}
        onChange={(next) => {
          setType(next)
          if (next === 'secret' || next === 'system' || type === 'secret' || type === 'system') setValue('')
        }}
        disabled={isSensitive}
        hint={TYPES.find((each) => each.value === type)?.says}
        options={TYPES}
      />
      {type === 'secret' ? (
        <SelectField
          label="Secret"
          value={value}
          onChange={setValue}
          options={[
            { value: '', label: 'Select…' },
            ...(secrets ?? []).map(({ uid, name }) => ({ value: uid, label: name })),
          ]}
        />
      ) : type === 'system' ? (
        <SelectField
          label="System variable"
          value={value}
          onChange={setValue}
          options={[
            { value: '', label: 'Select…' },
            ...[...new Set([...(value === '' ? [] : [value]), ...SYSTEM_NAMES])].map((name) => ({
              value: name,
              label: name,
            })),
          ]}
        />
      ) : (
        <TextArea
          label="Value"
          mono
          rows={3}
          value={value}
          onChange={setValue}
          maxLength={65_536}
          placeholder={isSensitive ? 'Unchanged' : ''}
          literal
        />
      )}
      <TargetBoxes
        value={targets}
        onChange={setTargets}
        environments={environments}
        without={type === 'sensitive' ? 'development' : undefined}
      />
      {onlyPreview && (
        <TextField
          label="Branch"
          hint="Leave empty for all preview deployments."
          value={branch}
          onChange={setBranch}
          maxLength={250}
          literal
        />
      )}
      <TextField label="Note" value={comment} onChange={setComment} maxLength={500} autoComplete="off" />
      <Failure error={save.error} />
    </FormDialog>
  )
}
