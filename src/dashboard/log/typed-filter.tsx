import { useEffect, useState } from 'react'
import { TextField } from '../ui/control/field.tsx'

const PAUSE_MS = 250

/** A filter that is typed: it holds once the person pauses, so that not every letter is searched for. */
export function TypedFilter({
  label,
  placeholder,
  value,
  onChange,
  mono = false,
}: {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  mono?: boolean
}) {
  const [typed, setTyped] = useState(value)
  // What is set elsewhere, by a link or a button, is shown here.
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <TextField
      label={label}
      hideLabel
      type="search"
      literal
      mono={mono}
      placeholder={placeholder}
      value={typed}
      onChange={setTyped}
    />
  )
}
