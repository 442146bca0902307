import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createDnsRecord, deleteDnsRecord, listDnsRecords } from '#contract/api/dns-record.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const record = (id: string, name: string, type: string, value: string, creator = 'u1') => ({
  id,
  slug: id,
  type,
  name,
  value,
  creator,
  created: String(Date.now() - 86_400_000),
  updated: null,
})

const machine = await startMachine(
  answers(listDnsRecords, ({ params, query }) => {
    if (params.domain !== 'example.com') throw new AloftError('not_found', 'There is no such domain.')
    return query.until === undefined
      ? { records: [record('rec_1', 'www', 'A', '192.0.2.1')], pagination: { count: 1, next: 5, prev: null } }
      : {
          records: [record('rec_2', '', 'ALIAS', 'alias.aloft.test', 'system')],
          pagination: { count: 1, next: null, prev: null },
        }
  }),
  answers(createDnsRecord, ({ body }) => {
    if (body.value === '192.0.2.9')
      throw new AloftError('record_conflict', 'There is one.', { oldId: 'rec_1' })
    return { uid: 'rec_9' }
  }),
  answers(deleteDnsRecord, () => undefined),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run(['dns', ...line], env)
const added = () => machine.api.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)

test('ls shows all pages', async () => {
  const { stdout } = await aloft('ls', 'example.com')
  assert.match(stdout, /^rec_1 +www +A +192\.0\.2\.1 +1d ago$/m)
  assert.match(stdout, /^rec_2 +@ +ALIAS +alias\.aloft\.test +by the platform$/m)
  assert.equal(JSON.parse((await aloft('ls', 'example.com', '--json')).stdout).records.length, 2)
  assert.equal((await aloft('ls', 'other.com')).code, 4)
})

test('add takes the words of a value as they come', async () => {
  const { stdout } = await aloft('add', 'example.com', '@', 'mx', '10', 'mail.example.com')
  assert.equal(stdout, 'rec_9\n')
  assert.deepEqual(added().at(-1), { name: '@', type: 'MX', value: '10 mail.example.com' })
  assert.match((await aloft('add', 'example.com', 'www', 'A', '192.0.2.9')).stderr, /aloft dns ls/)
  assert.match((await aloft('add', 'example.com', 'www', 'NS', 'x')).stderr, /<type>: "NS" should be one of/)
})

test('rm asks first, and knows what it deletes', async () => {
  assert.equal((await aloft('rm', 'example.com', 'rec_1')).code, 2)
  assert.equal((await aloft('rm', 'example.com', 'rec_7', '--yes')).code, 4)
  assert.ok(machine.api.requests.every(({ method }) => method !== 'DELETE'))
  const { stdout } = await aloft('rm', 'example.com', 'rec_1', '--yes')
  assert.equal(stdout, 'Deleted A 192.0.2.1 on www of example.com.\n')
})

test('import adds what it can of a zone file, and tells what it left out', async () => {
  writeFileSync(
    join(machine.home, 'zone'),
    [
      '$ORIGIN example.com.',
      '$TTL 3600',
      '@ IN SOA ns1.old.net. admin.old.net. ( 1 2 ; a comment',
      '  3 4 5 )',
      '  IN NS ns1.old.net.',
      '  IN MX 10 mail',
      'www 300 IN A 192.0.2.1',
      'shop IN A 192.0.2.5',
      'shop IN A 192.0.2.9',
    ].join('\n'),
  )
  const count = added().length
  assert.equal((await aloft('import', 'example.com', 'zone')).code, 2)
  assert.equal(added().length, count)
  const { code, stdout } = await aloft('import', 'example.com', 'zone', '--yes', '--json')
  assert.equal(code, 0)
  assert.deepEqual(added().slice(count), [
    { name: '', type: 'MX', value: '10 mail.example.com' },
    { name: 'shop', type: 'A', value: '192.0.2.5' },
    { name: 'shop', type: 'A', value: '192.0.2.9' },
  ])
  const { added: ids, present, skipped } = JSON.parse(stdout)
  assert.equal(ids.length, 2)
  assert.equal(present.length, 2)
  assert.deepEqual(
    skipped.map(({ type }: { type: string }) => type),
    ['SOA', 'NS'],
  )
})
