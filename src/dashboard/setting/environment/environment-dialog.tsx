import { useState } from 'react'
import {
  type BranchMatch,
  createEnvironment,
  ENVIRONMENT_SLUG,
  updateEnvironment,
} from '#contract/api/custom-environment.ts'
import { ENV_TARGETS } from '#contract/api/env-variable.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { SelectField, TextField } from '../../ui/control/field.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Failure } from '../../ui/feedback/failure.tsx'
import { TARGET_LABELS } from '../variable/variables.ts'
import type { Environment } from './environments.ts'

const RULES: readonly { readonly value: BranchMatch | ''; readonly label: string }[] = [
  { value: '', label: 'No branch' },
  { value: 'equals', label: 'Branch named' },
  { value: 'startsWith', label: 'Branches starting with' },
  { value: 'endsWith', label: 'Branches ending with' },
]

/** Adds an environment, or changes one. */
export function EnvironmentDialog({
  project,
  environment,
  others,
  onClose,
}: {
  project: Project
  environment?: Environment | undefined
  others: readonly Environment[]
  onClose: () => void
}) {
  const [slug, setSlug] = useState(environment?.slug ?? '')
  const [description, setDescription] = useState(environment?.description ?? '')
  const [rule, setRule] = useState<BranchMatch | ''>(environment?.branchMatcher?.type ?? '')
  const [pattern, setPattern] = useState(environment?.branchMatcher?.pattern ?? '')
  const [copyFrom, setCopyFrom] = useState('')
  const [isNameWrong, setNameWrong] = useState(false)
  const save = useAction(
    async (_: undefined, { client }) => {
      const params = { idOrName: project.id }
      const common = { slug, branchMatcher: rule === '' ? null : { type: rule, pattern } }
      if (environment === undefined)
        await client.call(createEnvironment, {
          params,
          body: { ...common, description, ...(copyFrom !== '' && { copyEnvVarsFrom: copyFrom }) },
        })
      else
        await client.call(updateEnvironment, {
          params: { ...params, environmentSlugOrId: environment.id },
          body: { ...common, description: description || null },
        })
    },
    {
      changes: ['project', 'env', 'alias'],
      done: environment === undefined ? `${slug} added.` : 'Saved.',
      quiet: true,
    },
  )

  return (
    <FormDialog
      title={environment === undefined ? 'Add environment' : `Edit ${environment.slug}`}
      onClose={onClose}
      action={environment === undefined ? 'Add environment' : 'Save'}
      busy={save.isPending}
      onSubmit={() => {
        if (ENVIRONMENT_SLUG.test(slug)) save.mutate(undefined, { onSuccess: onClose })
        else setNameWrong(true)
      }}
    >
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens."
        error={isNameWrong ? 'Use only lowercase letters, digits and dashes, such as staging.' : undefined}
        placeholder="staging"
        value={slug}
        onChange={(value) => {
          setSlug(value)
          setNameWrong(false)
        }}
        required
        maxLength={32}
        literal
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        maxLength={256}
        autoComplete="off"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Deploy on push" value={rule} onChange={setRule} options={RULES} />
        {rule !== '' && (
          <TextField
            label={rule === 'equals' ? 'Branch' : 'Pattern'}
            value={pattern}
            onChange={setPattern}
            required
            maxLength={250}
            literal
          />
        )}
      </div>
      {environment === undefined && (
        <SelectField
          label="Copy variables from"
          value={copyFrom}
          onChange={setCopyFrom}
          options={[
            { value: '', label: 'Start without variables' },
            ...ENV_TARGETS.map((value) => ({ value: value as string, label: TARGET_LABELS[value] })),
            ...others.map(({ id, slug: label }) => ({ value: id, label })),
          ]}
        />
      )}
      <Failure error={save.error} />
    </FormDialog>
  )
}
