import { Switch, TextField } from '../../ui/control/field.tsx'

/**
 * Something that is decided elsewhere unless this is switched on. Null: it is not. An empty text is a decision of its
 * own where `emptyMeans` says which.
 */
export const OverrideField = ({
  label,
  usual,
  emptyMeans,
  value,
  onChange,
}: {
  label: string
  /** What happens without it. */
  usual: string
  emptyMeans?: string
  value: string | null
  onChange: (value: string | null) => void
}) => (
  <div className="grid items-start gap-x-6 gap-y-2 sm:grid-cols-[minmax(0,1fr)_8rem]">
    <TextField
      label={label}
      mono
      value={value ?? ''}
      onChange={onChange}
      disabled={value === null}
      placeholder={value === null ? usual : ''}
      hint={value === '' ? emptyMeans : undefined}
      maxLength={256}
      literal
    />
    <div className="sm:pt-8">
      <Switch
        label={
          <>
            <span aria-hidden="true">Override</span>
            <span className="sr-only">{`Override: ${label.toLowerCase()}`}</span>
          </>
        }
        checked={value !== null}
        onChange={(on) => onChange(on ? '' : null)}
      />
    </div>
  </div>
)
