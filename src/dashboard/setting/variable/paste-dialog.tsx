import { useMemo, useState } from 'react'
import type { Static } from 'typebox'
import { asWhere, inTheWay, makeRoom } from '#client/variable-places.ts'
import { createVariables, type EnvType } from '#contract/api/env-variable.ts'
import { type EnvEntry, parseEnv } from '#contract/parse-env.ts'
import { count } from '#contract/words/wording.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/control/button.tsx'
import { SelectField, TextArea } from '../../ui/control/field.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Failure } from '../../ui/feedback/failure.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useEnvironments } from '../environment/environments.ts'
import { TargetBoxes } from './target-boxes.tsx'
import { TYPES, type Variable } from './variables.ts'

/** As many as the API takes at once. */
const AT_ONCE = 100

type PastedType = Extract<EnvType, 'encrypted' | 'sensitive' | 'plain'>
const PASTED_TYPES = TYPES.filter((type): type is typeof type & { value: PastedType } =>
  ['encrypted', 'sensitive', 'plain'].includes(type.value),
)

/** Makes variables of a whole `.env` file, after showing what becomes of it. */
export function PasteDialog({
  project,
  present,
  begin = '',
  onClose,
}: {
  project: Project
  present: readonly Variable[]
  begin?: string
  onClose: () => void
}) {
  const [text, setText] = useState(begin)
  const [type, setType] = useState<PastedType>('encrypted')
  const [targets, setTargets] = useState<readonly string[]>(['production', 'preview'])
  const environments = useEnvironments(project.id)
  const { entries, problems } = useMemo(() => parseEnv(text), [text])
  const target = targets.filter((each) => type !== 'sensitive' || each !== 'development')
  const placeOf = (entries: readonly EnvEntry[]) => ({
    keys: entries.map(({ key }) => key),
    places: target,
    branch: undefined,
  })
  const replaces = (entry: EnvEntry): boolean => inTheWay(present, placeOf([entry])).length > 0

  const save = useAction(
    async (_: undefined, { client }) => {
      await makeRoom(client, project.id, placeOf(entries))
      const failed: Static<typeof createVariables.reply>['failed'] = []
      for (let at = 0; at < entries.length; at += AT_ONCE) {
        const reply = await client.call(createVariables, {
          params: { idOrName: project.id },
          query: { upsert: true },
          body: entries
            .slice(at, at + AT_ONCE)
            .map(({ key, value }) => ({ key, value, type, ...asWhere(target) })),
        })
        failed.push(...reply.failed)
      }
      const [first] = failed
      if (first)
        throw new Error(
          `${failed.length} of ${count(entries.length, 'variable')} couldn’t be saved: ${String(first.error.message)}`,
        )
    },
    {
      changes: ['env'],
      done: `${count(entries.length, 'variable')} saved. New deployments will use them.`,
      quiet: true,
    },
  )

  return (
    <Dialog
      wide
      title="Paste .env file"
      about="You'll review the variables before they're saved."
      onClose={onClose}
    >
      <form className="space-y-4" onSubmit={submitting(() => save.mutate(undefined, { onSuccess: onClose }))}>
        <TextArea
          label="Contents"
          mono
          rows={6}
          value={text}
          onChange={setText}
          placeholder={'# comments and quotes are supported\nDATABASE_URL="postgres://…"\nexport API_KEY=…'}
          literal
        />
        <label className="inline-flex cursor-pointer items-center gap-2 text-sm text-accent hover:underline has-focus-visible:outline-2">
          {' '}
          Choose file{' '}
          <input
            type="file"
            className="sr-only"
            onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
          />
        </label>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="Type" value={type} onChange={setType} options={PASTED_TYPES} />
          <TargetBoxes
            value={targets}
            onChange={setTargets}
            environments={environments}
            without={type === 'sensitive' ? 'development' : undefined}
          />
        </div>
        {problems.length > 0 && (
          <div role="alert" className="rounded-lg bg-bad-soft p-3 text-sm text-bad">
            <ul className="space-y-1">
              {problems.map(({ line, why }) => (
                <li key={line}>
                  Line {line}: {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        {entries.length > 0 && (
          <ul
            aria-label="Variables to save"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list has to be scrolled by keyboard
            tabIndex={0}
            className="max-h-56 divide-y divide-line overflow-y-auto rounded-lg border border-line"
          >
            {entries.map((entry) => (
              <li key={entry.key} className="flex items-center gap-3 px-3 py-2 text-sm">
                <code className="min-w-0 flex-1 truncate font-mono text-xs">{entry.key}</code>
                <span className="text-soft">
                  {entry.value === '' ? 'empty' : count(entry.value.length, 'character')}
                </span>
                <Badge tone={replaces(entry) ? 'warn' : 'good'}>{replaces(entry) ? 'Replaces' : 'New'}</Badge>
              </li>
            ))}
          </ul>
        )}
        <Failure error={save.error} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          {problems.length > 0 && entries.length > 0 && (
            <span className="mr-auto text-sm text-soft">Lines with errors are skipped.</span>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={save.isPending}
            disabled={entries.length === 0 || target.length === 0}
          >
            {entries.length === 0 ? 'Save' : `Save ${entries.length}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
