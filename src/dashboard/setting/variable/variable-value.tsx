import { useState } from 'react'
import { getVariable } from '#contract/api/env-variable.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'
import { IconButton } from '../../ui/control/button.tsx'
import { CopyButton } from '../../ui/control/copy-button.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import type { Variable } from './variables.ts'

const MASK = '••••••••'

/** A value that is hidden until somebody asks for it, where it may be read at all. */
export function VariableValue({
  projectId,
  variable,
  secretName,
}: {
  projectId: string
  variable: Variable
  /** Of the secret that it takes its value from. */
  secretName?: string | undefined
}) {
  const { client } = useAccount()
  const [shown, setShown] = useState<string>()
  const [busy, setBusy] = useState(false)
  const { id, key, type, value } = variable

  if (type === 'sensitive') return <span className="text-soft">Hidden</span>
  if (type === 'secret') return <span className="break-all">@{secretName ?? value}</span>
  if (type === 'system') return <code className="font-mono text-xs break-all">{value}</code>

  // Not kept with what the page has read: a value is held for as long as it is looked at.
  const reveal = async () => {
    setBusy(true)
    try {
      setShown((await client.call(getVariable, { params: { idOrName: projectId, id } })).value)
    } catch (error) {
      toast.bad(explain(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <span className="flex min-w-0 items-center gap-1">
      <IconButton
        className="-ml-2.5 shrink-0"
        icon={shown === undefined ? 'eye' : 'close'}
        label={shown === undefined ? `Reveal ${key}` : `Hide ${key}`}
        disabled={busy}
        onClick={() => (shown === undefined ? void reveal() : setShown(undefined))}
      />
      {shown === undefined ? (
        // In one line, however little room a long name leaves.
        <code className="font-mono text-xs whitespace-nowrap">{MASK}</code>
      ) : (
        <code className="max-h-24 min-w-0 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap">
          {shown}
        </code>
      )}
      {shown !== undefined && <CopyButton text={shown} label={`Copy value of ${key}`} />}
    </span>
  )
}
