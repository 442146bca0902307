import type { FormEvent } from 'react'

/** For `onSubmit` of a form that sends nothing by itself. */
export const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault()
  act()
}
