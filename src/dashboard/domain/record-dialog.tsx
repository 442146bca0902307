import { useState } from 'react'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import {
  createDnsRecord,
  deleteDnsRecord,
  isRecordType,
  type listDnsRecords,
  RECORD_TYPES,
  type RecordType,
} from '#contract/api/dns-record.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextArea, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { Failure } from '../ui/feedback/failure.tsx'

export type DnsRecord = ReplyOf<(typeof listDnsRecords)['reply']>['records'][number]

interface FieldSpec {
  readonly label: string
  readonly placeholder: string
  readonly number?: true
  readonly choices?: readonly string[]
}

/** What the value of each type is made of. */
const FIELDS: Readonly<Record<RecordType, readonly FieldSpec[]>> = {
  A: [{ label: 'IPv4 address', placeholder: '192.0.2.1' }],
  AAAA: [{ label: 'IPv6 address', placeholder: '2001:db8::1' }],
  ALIAS: [{ label: 'Host', placeholder: 'other.example.com' }],
  CNAME: [{ label: 'Host', placeholder: 'other.example.com' }],
  TXT: [{ label: 'Text', placeholder: 'v=spf1 -all' }],
  MX: [
    { label: 'Priority', placeholder: '10', number: true },
    { label: 'Mail server', placeholder: 'mail.example.com' },
  ],
  SRV: [
    { label: 'Priority', placeholder: '10', number: true },
    { label: 'Weight', placeholder: '5', number: true },
    { label: 'Port', placeholder: '5060', number: true },
    { label: 'Host', placeholder: 'sip.example.com' },
  ],
  CAA: [
    { label: 'Flags', placeholder: '0', number: true },
    { label: 'Tag', placeholder: 'issue', choices: ['issue', 'issuewild', 'iodef'] },
    { label: 'Value', placeholder: 'letsencrypt.org' },
  ],
}

const SAYS: Readonly<Record<RecordType, string>> = {
  A: 'Points the name to an IPv4 address.',
  AAAA: 'Points the name to an IPv6 address.',
  ALIAS: 'Resolves to the addresses of another host. Works at the root of a domain.',
  CNAME: 'Makes the name an alias of another host. No other records can share the name.',
  TXT: 'Free text, used for verification and email policies.',
  MX: 'Where email for the domain is delivered.',
  SRV: 'Location of a service, such as _sip._tcp.',
  CAA: 'Which authorities may issue certificates.',
}

const begin = (type: RecordType): readonly string[] =>
  FIELDS[type].map(({ choices, label }) => choices?.[0] ?? (label === 'Flags' ? '0' : ''))

function split(type: RecordType, value: string): readonly string[] {
  const count = FIELDS[type].length
  const words = value.split(' ')
  const parts = [...words.slice(0, count - 1), words.slice(count - 1).join(' ')]
  return type === 'CAA' ? parts.map((part) => part.replace(/^"(.*)"$/, '$1')) : parts
}

const join = (type: RecordType, parts: readonly string[]): string =>
  type === 'CAA'
    ? `${parts[0]} ${parts[1]} "${(parts[2] ?? '').trim()}"`
    : type === 'TXT'
      ? (parts[0] ?? '')
      : parts.map((part) => part.trim()).join(' ')

interface RecordFields {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** Puts a record in the place of another: the new one first, unless the old one is in its way. */
async function replaceRecord(
  client: Client,
  domain: string,
  before: DnsRecord,
  body: RecordFields,
): Promise<void> {
  const remove = () => client.call(deleteDnsRecord, { params: { domain, recId: before.id } })
  const make = (request: RecordFields) => client.call(createDnsRecord, { params: { domain }, body: request })
  try {
    await make(body)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    await remove()
    try {
      await make(body)
    } catch (failed) {
      await make({ name: before.name, type: before.type, value: before.value })
      throw failed
    }
    return
  }
  await remove()
}

/** Adds a record, or changes one. */
export function RecordDialog({
  domain,
  record,
  onClose,
}: {
  domain: string
  record?: DnsRecord | undefined
  onClose: () => void
}) {
  const first: RecordType = record && isRecordType(record.type) ? record.type : 'A'
  const [name, setName] = useState(record?.name ?? '')
  const [type, setType] = useState(first)
  const [parts, setParts] = useState(record ? split(first, record.value) : begin(first))
  const save = useAction(
    async (_: undefined, { client }) => {
      const body = { name: name.trim(), type, value: join(type, parts) }
      if (record === undefined) await client.call(createDnsRecord, { params: { domain }, body })
      else if (body.name !== record.name || body.type !== record.type || body.value !== record.value)
        await replaceRecord(client, domain, record, body)
    },
    {
      changes: ['dns-record', 'domain'],
      done: 'Record saved. Changes are visible within a minute.',
      quiet: true,
    },
  )
  const set = (at: number) => (value: string) => setParts(parts.with(at, value))

  return (
    <FormDialog
      title={record === undefined ? 'Add record' : 'Edit record'}
      onClose={onClose}
      action={record === undefined ? 'Add record' : 'Save'}
      busy={save.isPending}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      <SelectField
        label="Type"
        value={type}
        hint={SAYS[type]}
        onChange={(next) => {
          setType(next)
          setParts(begin(next))
        }}
        options={RECORD_TYPES.map((value) => ({ value, label: value }))}
      />
      <TextField
        label="Name"
        hint={
          <>
            Full name:{' '}
            <span className="font-medium break-all">
              {name.trim() === '' || name.trim() === '@' ? domain : `${name.trim()}.${domain}`}
            </span>
          </>
        }
        mono
        value={name}
        onChange={setName}
        placeholder="Leave empty for the root domain"
        maxLength={253}
        literal
      />
      <div className={FIELDS[type].length > 2 ? 'grid gap-4 sm:grid-cols-2' : 'space-y-4'}>
        {FIELDS[type].map(({ label, placeholder, number, choices }, at) =>
          choices !== undefined ? (
            <SelectField
              key={label}
              label={label}
              value={parts[at] ?? ''}
              onChange={set(at)}
              options={choices.map((value) => ({ value, label: value }))}
            />
          ) : type === 'TXT' ? (
            <TextArea
              key={label}
              label={label}
              mono
              rows={3}
              value={parts[at] ?? ''}
              onChange={set(at)}
              placeholder={placeholder}
              required
              maxLength={4096}
              spellCheck={false}
            />
          ) : (
            <TextField
              key={label}
              label={label}
              mono
              value={parts[at] ?? ''}
              onChange={set(at)}
              placeholder={placeholder}
              required
              literal
              {...(number && { type: 'number', min: 0, max: label === 'Flags' ? 255 : 65_535 })}
            />
          ),
        )}
      </div>
      <Failure error={save.error} />
    </FormDialog>
  )
}
