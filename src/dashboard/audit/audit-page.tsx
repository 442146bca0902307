import { Link, type NavigateOptions } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { readAuditLog } from '#contract/api/audit.ts'
import {
  inWords,
  type LinkedResource,
  type NamesById,
  type SentencePart,
  textOf,
  VIAS,
} from '#contract/words/audit-words.ts'
import { useAccount } from '../api/account.tsx'
import { useAllProjects } from '../api/lists.ts'
import { usePeople } from '../api/people.ts'
import { useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'

const KINDS = [
  { value: '', label: 'All changes' },
  { value: 'POST', label: 'Created or started' },
  { value: 'PATCH', label: 'Changed' },
  { value: 'DELETE', label: 'Deleted' },
] as const

export function AuditPage() {
  const { slug: account, kind } = useAccount()
  const [action, setAction] = useSearchText('action')
  const [userId, setUserId] = useSearchText('user')
  const [text, setText] = useSearchText('q')
  const people = usePeople()
  const projects = useAllProjects()
  // The list that is there stays until the next one is, and so does what chooses it.
  const asked = useDeferredValue({ ...(action !== '' && { action }), ...(userId !== '' && { userId }) })
  const pages = useReadPages(
    'audit',
    readAuditLog,
    { query: { limit: 50, ...asked } },
    ({ entries }) => entries,
  )
  const known: Omit<NamesById, 'person'> = {
    project: (idOrName) => projects?.find(({ id }) => id === idOrName)?.name ?? idOrName,
  }
  const words = text.trim().toLowerCase()
  const rows = pages.rows
    .map((entry) => ({
      ...entry,
      pieces: inWords(entry, { ...known, person: (id) => entry.member?.username ?? id }),
      who: entry.user.username ?? entry.user.email ?? entry.user.id,
    }))
    .filter(({ who, pieces }) => `${who} ${textOf(pieces)}`.toLowerCase().includes(words))
  const isFiltered = action !== '' || userId !== '' || words !== ''

  return (
    <Page
      title="Audit log"
      about="Every change in this account: who made it, how and from where. Kept for 180 days."
    >
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
        <TextField
          label="Filter"
          hideLabel
          type="search"
          placeholder="Filter by name or action…"
          value={text}
          onChange={setText}
        />
        <SelectField label="Kind of change" hideLabel value={action} onChange={setAction} options={KINDS} />
        {kind === 'team' && (
          <SelectField
            label="Person"
            hideLabel
            value={userId}
            onChange={setUserId}
            options={[
              { value: '', label: 'Everyone' },
              ...people.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
      </div>
      <Card flush>
        {rows.length === 0 ? (
          <Empty
            icon="shield"
            title={isFiltered ? 'No matching changes' : 'No changes yet'}
            action={
              isFiltered && (
                <Button
                  onClick={() => {
                    setText('')
                    setAction('')
                    setUserId('')
                  }}
                >
                  Clear filters
                </Button>
              )
            }
          >
            {isFiltered && pages.more
              ? 'Older entries haven’t been searched yet.'
              : 'Changes made in the dashboard, the command line or through the API appear here.'}
          </Empty>
        ) : (
          <Table
            label="Audit log"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Change',
                cell: ({ who, pieces, action: endpoint }) => (
                  <span title={endpoint} className="wrap-anywhere">
                    <span className="font-medium">{who}</span> <Sentence account={account} pieces={pieces} />
                  </span>
                ),
              },
              {
                title: 'Via',
                wide: true,
                cell: ({ via }) => (
                  <span className="flex flex-wrap items-center gap-1.5">
                    <Badge>{VIAS[via.kind] ?? via.kind}</Badge>
                    {via.kind !== 'session' && <span className="text-soft">{via.name}</span>}
                  </span>
                ),
              },
              { title: 'IP address', wide: true, cell: ({ ip }) => <code className="text-xs">{ip}</code> },
              { title: 'When', cell: ({ at }) => <Time at={at} /> },
            ]}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
    </Page>
  )
}

const linkTo = (account: string, { kind, id }: LinkedResource): NavigateOptions =>
  kind === 'project'
    ? { to: '/a/$account/projects/$project', params: { account, project: id } }
    : kind === 'deployment'
      ? { to: '/a/$account/deployments/$deployment', params: { account, deployment: id } }
      : { to: '/a/$account/domains/$name', params: { account, name: id } }

const Sentence = ({ account, pieces }: { account: string; pieces: readonly SentencePart[] }) =>
  pieces.map((piece, i) =>
    typeof piece === 'string' ? (
      piece
    ) : piece.thing === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence never move
      <span key={i} className="font-medium">
        {piece.name}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence never move
      <Link key={i} {...linkTo(account, piece.thing)} className="text-accent break-all hover:underline">
        {piece.name}
      </Link>
    ),
  )
