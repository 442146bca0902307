import { useMemo, useState } from 'react'
import { ApiError } from '#client/api-error.ts'
import { createDnsRecord } from '#contract/api/dns-record.ts'
import { count } from '#contract/words/wording.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { TextArea } from '../ui/control/field.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { Failure } from '../ui/feedback/failure.tsx'
import { submitting } from '../ui/submitting.ts'
import { parseZone, type ZoneRecord } from './parse-zone.ts'

type ImportOutcome = 'made' | 'there' | { readonly why: string }

/** Makes records of a zone file that was exported elsewhere, after showing them. */
export function ImportDialog({ domain, onClose }: { domain: string; onClose: () => void }) {
  const [text, setText] = useState('')
  const [outcomes, setOutcomes] = useState<ReadonlyMap<ZoneRecord, ImportOutcome>>(new Map())
  const { records, left } = useMemo(() => parseZone(text, domain), [text, domain])
  const isDone = outcomes.size > 0
  const save = useAction(
    async (_: undefined, { client }) => {
      const results = new Map<ZoneRecord, ImportOutcome>()
      for (const record of records) {
        const { name, type, value } = record
        try {
          await client.call(createDnsRecord, { params: { domain }, body: { name, type, value } })
          results.set(record, 'made')
        } catch (error) {
          if (!(error instanceof ApiError) || error.status >= 500 || error.status === 401) throw error
          results.set(record, error.status === 409 ? 'there' : { why: explain(error) })
        }
        setOutcomes(new Map(results))
      }
    },
    { changes: ['dns-record', 'domain'], quiet: true },
  )

  return (
    <Dialog
      wide
      title="Import zone"
      about={`Paste the zone file of ${domain}, as exported by your current provider. You'll review the records before they're created.`}
      onClose={onClose}
    >
      <form className="space-y-4" onSubmit={submitting(() => save.mutate(undefined))}>
        <TextArea
          label="Zone file"
          mono
          rows={6}
          value={text}
          onChange={(next) => {
            setText(next)
            setOutcomes(new Map())
          }}
          placeholder={'@    3600 IN A   192.0.2.1\nwww  3600 IN CNAME @'}
          spellCheck={false}
        />
        {left.length > 0 && (
          <details className="text-sm text-soft">
            <summary>{count(left.length, 'line')} skipped</summary>
            <ul className="mt-2 space-y-1">
              {left.map(({ line, why }) => (
                <li key={line}>
                  Line {line}: {why}
                </li>
              ))}
            </ul>
          </details>
        )}
        {records.length > 0 && (
          <ul
            aria-label="Records to import"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list has to be scrolled by keyboard
            tabIndex={0}
            className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line text-sm"
          >
            {records.map((record) => {
              const outcome = outcomes.get(record)
              return (
                <li key={record.line} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
                  <span className="w-14 font-mono text-xs font-medium">{record.type}</span>
                  <span className="font-mono text-xs">{record.name || '@'}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">{record.value}</span>
                  {outcome === 'made' && <Badge tone="good">Created</Badge>}
                  {outcome === 'there' && <Badge>Already exists</Badge>}
                  {typeof outcome === 'object' && <p className="w-full text-bad">{outcome.why}</p>}
                </li>
              )
            })}
          </ul>
        )}
        <Failure error={save.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
          {(!isDone || save.isPending) && (
            <Button type="submit" look="primary" busy={save.isPending} disabled={records.length === 0}>
              {records.length === 0 ? 'Import' : `Import ${records.length}`}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}
