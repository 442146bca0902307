import { useState } from 'react'
import { createCron } from '#contract/api/cron.ts'
import { useAction } from '../api/query.ts'
import { Checkbox, SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

const OVERLAPS = [
  { value: 'skip', label: 'Skip the run' },
  { value: 'allow', label: 'Run both' },
] as const

export function NewCronDialog({ idOrName, onClose }: { idOrName: string; onClose: () => void }) {
  const [path, setPath] = useState('/api/')
  const [schedule, setSchedule] = useState('0 5 * * *')
  const [timeZone, setTimeZone] = useState('UTC')
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]['value']>('skip')
  const [makeUp, setMakeUp] = useState(false)
  const make = useAction(
    (_input: undefined, { client }) =>
      client.call(createCron, { params: { idOrName }, body: { path, schedule, timeZone, overlap, makeUp } }),
    { changes: ['cron'], done: 'Scheduled job added.', after: onClose, quiet: true },
  )
  return (
    <FormDialog
      title="New scheduled job"
      onClose={onClose}
      action="Add scheduled job"
      busy={make.isPending}
      onSubmit={() => make.mutate(undefined)}
    >
      <TextField
        label="Path"
        hint="Requested with GET from the production deployment."
        value={path}
        onChange={setPath}
        required
        maxLength={512}
        autoComplete="off"
      />
      <TextField
        label="Schedule"
        hint="Minute, hour, day of the month, month, day of the week."
        error={make.problem}
        value={schedule}
        onChange={setSchedule}
        required
        maxLength={256}
        autoComplete="off"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Time zone" value={timeZone} onChange={setTimeZone} required maxLength={64} />
        <SelectField
          label="If the previous run is still in progress"
          value={overlap}
          onChange={setOverlap}
          options={OVERLAPS}
        />
      </div>
      <Checkbox label="Catch up once on missed runs" checked={makeUp} onChange={setMakeUp} />
    </FormDialog>
  )
}
