import { useState } from 'react'
import { readLimit, showAmount } from '#contract/limit/quota-amount.ts'
import { QUOTA_NAMES, QUOTAS, type QuotaLimits, type QuotaName } from '#contract/limit/quotas.ts'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

export type QuotaRequest = Partial<Record<QuotaName, number | null | 'default'>>

const HINTS: Partial<Record<QuotaName, string>> = {
  contentBytes: 'For example, 20GB.',
  memoryMb: 'Total memory of all running instances, for example 10GiB.',
  buildMinutes: 'Minutes per month.',
  logBytes: 'Per day, for example 1GB.',
}

/** What plan or account may use: empty is what it would be otherwise, `none` is no limit. */
export function QuotasDialog({
  title,
  about,
  limits,
  changed,
  busy,
  onSave,
  onClose,
}: {
  title: string
  about: string
  limits: QuotaLimits
  changed: readonly QuotaName[]
  busy: boolean
  onSave: (request: QuotaRequest) => void
  onClose: () => void
}) {
  const shown = (name: QuotaName) => {
    const limit = limits[name]
    return limit === null ? 'none' : showAmount(name, limit).replace(/,| min$/g, '')
  }
  const [texts, setTexts] = useState<Partial<Record<QuotaName, string>>>(() =>
    Object.fromEntries(changed.map((name) => [name, shown(name)])),
  )
  const requestOf = (name: QuotaName) => {
    const text = texts[name]?.trim() ?? ''
    return text === '' ? 'default' : readLimit(name, text)
  }
  const edited = QUOTA_NAMES.filter(
    (name) => (texts[name] ?? '') !== (changed.includes(name) ? shown(name) : ''),
  )
  const isWrong = edited.some((name) => requestOf(name) === undefined)
  return (
    <FormDialog
      title={title}
      about={about}
      action="Save quotas"
      busy={busy}
      disabled={edited.length === 0 || isWrong}
      onClose={onClose}
      onSubmit={() =>
        onSave(
          Object.fromEntries(
            edited.flatMap((name) => {
              const request = requestOf(name)
              return request === undefined ? [] : [[name, request]]
            }),
          ),
        )
      }
    >
      {QUOTA_NAMES.map((name) => (
        <TextField
          key={name}
          label={QUOTAS[name].title}
          value={texts[name] ?? ''}
          placeholder={changed.includes(name) ? 'Default' : shown(name)}
          hint={HINTS[name]}
          error={
            requestOf(name) === undefined
              ? 'Enter a number or "none" for no limit, or leave it empty.'
              : undefined
          }
          onChange={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
    </FormDialog>
  )
}
