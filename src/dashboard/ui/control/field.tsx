import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import { classes } from '../classes.ts'

const BOX =
  'w-full rounded-lg border border-line-strong/60 bg-raised px-3 text-sm text-fg placeholder:text-soft disabled:opacity-60'

interface FieldText {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: ReactNode
  readonly hideLabel?: boolean | undefined
}

/** A label, something to fill in, and a line that helps or says what is wrong. */
function Field({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: FieldText & {
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}) {
  const id = useId()
  const says = error ?? hint
  return (
    <div>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1.5 block text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        ...(says !== undefined && { 'aria-describedby': `${id}-says` }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {says !== undefined && (
        <p
          id={`${id}-says`}
          role={error === undefined ? undefined : 'alert'}
          className={classes('mt-1.5 text-sm', error === undefined ? 'text-soft' : 'text-bad')}
        >
          {says}
        </p>
      )}
    </div>
  )
}

/** A box for text, with the attributes of the element that it is. */
type TextBox<Attributes> = FieldText & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly mono?: boolean
  /** What is typed has to stay as it is: browsers neither complete nor correct it. */
  readonly literal?: boolean
} & Omit<Attributes, 'value' | 'onChange'>

const LITERAL = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

export const TextField = ({
  label,
  hint,
  error,
  hideLabel,
  mono = false,
  literal = false,
  value,
  onChange,
  ...rest
}: TextBox<InputHTMLAttributes<HTMLInputElement>>) => (
  <Field {...{ label, hint, error, hideLabel }}>
    {(ids) => (
      <input
        {...(literal && LITERAL)}
        {...rest}
        {...ids}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={classes(BOX, 'h-9', mono && 'font-mono', rest.className)}
      />
    )}
  </Field>
)

export const TextArea = ({
  label,
  hint,
  error,
  hideLabel,
  mono = false,
  literal = false,
  value,
  onChange,
  ...rest
}: TextBox<TextareaHTMLAttributes<HTMLTextAreaElement>>) => (
  <Field {...{ label, hint, error, hideLabel }}>
    {(ids) => (
      <textarea
        rows={4}
        {...(literal && LITERAL)}
        {...rest}
        {...ids}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={classes(BOX, 'py-2', mono && 'font-mono', rest.className)}
      />
    )}
  </Field>
)

export const SelectField = <Value extends string>({
  label,
  hint,
  error,
  hideLabel,
  value,
  onChange,
  options,
  disabled = false,
}: FieldText & {
  value: Value
  onChange: (value: Value) => void
  options: readonly { readonly value: Value; readonly label: string }[]
  disabled?: boolean
}) => (
  <Field {...{ label, hint, error, hideLabel }}>
    {(ids) => (
      <select
        {...ids}
        disabled={disabled}
        value={value}
        onChange={(event) => onChange(event.target.value as Value)}
        className={classes(BOX, 'h-9 min-w-28 pr-8')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** On or off, with a line that says what on means. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled = false,
}: {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-says`}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className={classes(
          'mt-0.5 h-5 w-9 shrink-0 rounded-full p-0.5 transition-colors disabled:opacity-50',
          checked ? 'bg-accent-fill' : 'bg-line-strong',
        )}
      >
        <span
          className={classes(
            'block size-4 rounded-full bg-white transition-transform',
            checked && 'translate-x-4',
          )}
        />
      </button>
      <div>
        <label htmlFor={id} id={`${id}-label`} className="text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-says`} className="text-sm text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

export const Checkbox = ({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}) => (
  <label className="flex items-center gap-2 text-sm">
    <input
      type="checkbox"
      className="size-4 accent-(--accent-fill)"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
    {label}
  </label>
)
