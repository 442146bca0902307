import type { ReactNode } from 'react'
import { Badge, type Tone } from '../ui/badge.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'

/** A record that has to be made where the DNS of a domain is edited. */
export interface WantedRecord {
  readonly type: string
  readonly host: string
  readonly value: string
}

export interface Check {
  readonly id: string
  readonly status: 'ok' | 'missing' | 'wrong' | 'unknown'
  readonly found: readonly string[]
  readonly expected: readonly string[]
  readonly advice: string
}

const TONES: Readonly<Record<Check['status'], { readonly tone: Tone; readonly says: string }>> = {
  ok: { tone: 'good', says: 'OK' },
  missing: { tone: 'warn', says: 'Missing' },
  wrong: { tone: 'bad', says: 'Wrong' },
  unknown: { tone: 'neutral', says: 'No response' },
}

const TITLES: Readonly<Record<string, string>> = {
  nameservers: 'Nameservers',
  txt: 'Ownership record',
  address: 'Address records',
  www: 'www records',
  caa: 'Certificate authorities (CAA)',
}

/** The exact fields, each to be copied. */
export const RecordsToMake = ({ records }: { records: readonly WantedRecord[] }) => (
  <ul className="space-y-3">
    {records.map(({ type, host, value }) => (
      <li key={`${type} ${value}`} className="rounded-lg border border-line p-3">
        <dl className="grid grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-2 text-sm">
          <dt className="text-soft">Type</dt>
          <dd className="font-mono font-medium">{type}</dd>
          <dt className="text-soft">Name</dt>
          <dd>
            <CopyLine text={host} label={`Copy name of the ${type} record`} />
          </dd>
          <dt className="text-soft">Value</dt>
          <dd>
            <CopyLine text={value} label={`Copy value of the ${type} record`} />
          </dd>
        </dl>
      </li>
    ))}
  </ul>
)

const STEPS = {
  done: { icon: 'check', look: 'text-good' },
  wait: { icon: 'clock', look: 'text-soft' },
  act: { icon: 'warning', look: 'text-warn' },
} as const

/** The one thing to do next, in words: nothing, to wait, or to act. */
export const NextStep = ({ is, children }: { is: keyof typeof STEPS; children: ReactNode }) => (
  <div className="flex items-start gap-2.5 text-sm">
    <span className={`mt-0.5 ${STEPS[is].look}`}>
      <Icon name={STEPS[is].icon} />
    </span>
    <p className="min-w-0 break-words">{children}</p>
  </div>
)

const listed = (values: readonly string[]): string => (values.length === 0 ? 'nothing' : values.join(', '))

/** What was looked at, for who wants to know. */
export const Checks = ({ checks }: { checks: readonly Check[] }) => (
  <details className="text-sm">
    <summary className="text-soft hover:text-fg">DNS check details</summary>
    <ul className="mt-3 space-y-3">
      {checks.map(({ id, status, found, expected, advice }) => (
        <li key={id} className="grid gap-1 sm:grid-cols-[6rem_minmax(0,1fr)]">
          <span>
            <Badge tone={TONES[status].tone}>{TONES[status].says}</Badge>
          </span>
          <div className="min-w-0 break-words">
            <p className="font-medium">{TITLES[id] ?? id}</p>
            <p className="text-soft">{advice}</p>
            {status !== 'ok' && (
              <p className="mt-0.5 font-mono text-xs break-all text-soft">
                found: {listed(found)} · expected: {listed(expected)}
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  </details>
)
