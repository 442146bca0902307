import { useState } from 'react'
import { createDrain, getVerifyCode } from '#contract/api/drain.ts'
import { useAction, useLater } from '../api/query.ts'
import { ProjectBoxes } from '../project/project-boxes.tsx'
import { Checkbox, SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

const FORMATS = [
  { value: 'ndjson', label: 'NDJSON (one object per line)' },
  { value: 'json', label: 'JSON (one array per batch)' },
  { value: 'syslog', label: 'Syslog (RFC 5424)' },
] as const
const SOURCES = [
  { value: 'static', label: 'Static files' },
  { value: 'lambda', label: 'Functions' },
  { value: 'build', label: 'Builds' },
] as const
const ENVIRONMENTS = [
  { value: '', label: 'All environments' },
  { value: 'production', label: 'Production only' },
  { value: 'preview', label: 'Preview only' },
] as const

type Source = (typeof SOURCES)[number]['value']

export function NewDrainDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('ndjson')
  const [sources, setSources] = useState<readonly Source[]>([])
  const [environment, setEnvironment] = useState<(typeof ENVIRONMENTS)[number]['value']>('')
  const [projectIds, setProjectIds] = useState<readonly string[]>([])
  const [secret, setSecret] = useState('')
  const { data: verify } = useLater('drain', getVerifyCode)
  const make = useAction(
    (_input: undefined, { client }) =>
      client.call(createDrain, {
        body: {
          name,
          url,
          deliveryFormat: format,
          ...(sources.length > 0 && { sources: [...sources] }),
          ...(environment !== '' && { environments: [environment] }),
          ...(projectIds.length > 0 && { projectIds: [...projectIds] }),
          ...(secret !== '' && { secret }),
        },
      }),
    {
      changes: ['drain'],
      done: 'Log drain created. New entries are being sent.',
      after: onClose,
      quiet: true,
    },
  )
  return (
    <FormDialog
      title="New log drain"
      onClose={onClose}
      action="Create log drain"
      busy={make.isPending}
      onSubmit={() => make.mutate(undefined)}
    >
      <TextField label="Name" value={name} onChange={setName} required maxLength={100} autoComplete="off" />
      <TextField
        label="URL"
        type="url"
        placeholder="https://logs.example.com/aloft"
        hint={
          verify && (
            <>
              To verify ownership, it must respond with the header{' '}
              <code>x-platform-verify: {verify.code}</code>.
            </>
          )
        }
        error={make.problem}
        value={url}
        onChange={setUrl}
        required
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Format" value={format} onChange={setFormat} options={FORMATS} />
        <SelectField
          label="Environment"
          value={environment}
          onChange={setEnvironment}
          options={ENVIRONMENTS}
        />
      </div>
      <fieldset>
        <legend className="text-sm font-medium">Sources</legend>
        <p className="mb-1.5 text-sm text-soft">Leave all unchecked to include everything.</p>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {SOURCES.map(({ value, label }) => (
            <Checkbox
              key={value}
              label={label}
              checked={sources.includes(value)}
              onChange={(on) =>
                setSources(on ? [...sources, value] : sources.filter((each) => each !== value))
              }
            />
          ))}
        </div>
      </fieldset>
      <ProjectBoxes chosen={projectIds} onChange={setProjectIds} />
      <TextField
        label="Secret (optional)"
        hint="Used to sign each delivery in the x-platform-signature header. It won't be shown again."
        type="password"
        value={secret}
        onChange={setSecret}
        maxLength={256}
        autoComplete="off"
      />
    </FormDialog>
  )
}
