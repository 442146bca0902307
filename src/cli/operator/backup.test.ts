import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  deleteFailedJob,
  listAccounts,
  listFailedJobs,
  makeBackup,
  retryFailedJob,
} from '#contract/api/operator.ts'
import { backupEnd, tarEntry } from '#contract/backup/backup.ts'
import { openSealedBackup, type ReadAt } from '#contract/backup/sealed-backup.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { createEntryFinder } from './find-entry.ts'

const env = { ALOFT_TOKEN: TOKEN }
const body = tarEntry('manifest.json', Buffer.from('{}'), 0)
const sha256 = createHash('sha256').update(body).digest('hex')
const whole = Buffer.concat([body, backupEnd({ sha256, bytes: body.length, missing: 0 }, 0)])
const pages = { count: 1, next: null, prev: null }

const readIn =
  (bytes: Buffer): ReadAt =>
  async (position, length) =>
    bytes.subarray(position, position + length)

const sends = (content: Buffer) =>
  answers(makeBackup, () => ({
    type: 'application/x-tar',
    body: content,
  }))

test('a backup is saved in this folder, for its owner alone, and takes the place of no other file', async () => {
  await using machine = await startMachine(sends(whole))
  const { code, stdout, stderr } = await machine.run(['operator', 'backup', '--logs'], env)
  assert.equal(code, 0, stderr)
  const file = join(machine.home, 'aloft-backup.tar')
  assert.match(stdout, /aloft-backup\.tar/)
  assert.match(stderr, /master key is not included/)
  assert.deepEqual(readFileSync(file), whole)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(machine.api.requests[0]?.query, { logs: 'true', key: 'false' })
  const again = await machine.run(['operator', 'backup'], env)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /already exists/)
})

test('a backup is not written into what somebody else has put in its place', async () => {
  await using machine = await startMachine(sends(whole))
  const theirs = join(machine.home, 'theirs')
  writeFileSync(theirs, '', { mode: 0o666 })
  symlinkSync(theirs, join(machine.home, 'aloft-backup.tar.part'))
  const { code, stderr } = await machine.run(['operator', 'backup'], env)
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(theirs, 'utf8'), '')
  const file = lstatSync(join(machine.home, 'aloft-backup.tar'))
  assert.deepEqual([file.isFile(), file.mode & 0o777], [true, 0o600])
})

test('with a passphrase nothing is on the disk in the clear, and a bad one is told before anything is asked', async () => {
  await using machine = await startMachine(sends(whole))
  writeFileSync(join(machine.home, 'pass'), 'correct horse battery\n')
  writeFileSync(join(machine.home, 'short'), 'horse\n')
  for (const file of ['short', 'none']) {
    const { code, stderr } = await machine.run(['operator', 'backup', '--passphrase-file', file], env)
    assert.equal(code, 2, stderr)
  }
  assert.equal(machine.api.requests.length, 0)
  const { code, stderr } = await machine.run(['operator', 'backup', '--passphrase-file', 'pass'], env)
  assert.equal(code, 0, stderr)
  const file = join(machine.home, 'aloft-backup.tar.sealed')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const sealed = readFileSync(file)
  assert.equal(sealed.includes('manifest.json'), false)
  const opened = await openSealedBackup(readIn(sealed), sealed.length, 'correct horse battery')
  assert.deepEqual(await opened.readAt(0, opened.size), whole)
})

test('what the server could not save is named, and the exit code is 1', async () => {
  const names = Array.from({ length: 22 }, (_, n) => n.toString(16).padStart(64, 'a'))
  const content = Buffer.concat([
    body,
    tarEntry('blobs/x', Buffer.from(`missing.txt\n${'f'.repeat(64)}\n`.repeat(100)), 0),
    tarEntry('missing.txt', Buffer.from(`${names.join('\n')}\n`), 0),
  ])
  const whole = {
    sha256: createHash('sha256').update(content).digest('hex'),
    ...{ bytes: content.length, missing: names.length },
  }
  const part = Buffer.concat([content, backupEnd(whole, 0)])
  await using machine = await startMachine(sends(part))
  const { code, stderr } = await machine.run(['operator', 'backup'], env)
  assert.equal(code, 1)
  assert.match(stderr, /22 files of deployments could not be included/)
  assert.deepEqual(stderr.match(/(?<=^Not saved: ).*/gm), [...names.slice(0, 20), '2 more'])
  assert.deepEqual(readFileSync(join(machine.home, 'aloft-backup.tar')), part)
})

test('an entry is found however the bytes of an archive come', () => {
  const archive = Buffer.concat([
    tarEntry('first', Buffer.alloc(700, 'x'), 0),
    tarEntry('empty', Buffer.alloc(0), 0),
    tarEntry('wanted', Buffer.from('this'), 0),
    Buffer.alloc(1024),
  ])
  for (const step of [1, 7, 511, 512, 513, archive.length]) {
    const finder = createEntryFinder('wanted')
    for (let at = 0; at < archive.length; at += step) finder.see(archive.subarray(at, at + step))
    assert.equal(finder.content().toString(), 'this', `in pieces of ${step} bytes`)
  }
})

test('what was cut off or changed on its way is noticed, and nothing of it is left', async () => {
  const changed = Buffer.from(whole)
  changed[520] = 0x41
  for (const [content, why] of [
    [whole.subarray(0, whole.length - 1024), /stopped before the end/],
    [Buffer.alloc(0), /stopped before the end/],
    [changed, /checksum does not match/],
  ] as const) {
    await using machine = await startMachine(sends(content))
    const { code, stderr } = await machine.run(['operator', 'backup', '--output', 'b.tar'], env)
    assert.equal(code, 1)
    assert.match(stderr, why)
    assert.deepEqual(
      readdirSync(machine.home).filter((name) => name.startsWith('b.tar')),
      [],
    )
  }
})

test('accounts and failed jobs are listed, retried and forgotten', async () => {
  const job = { id: 'job_1', name: 'mail', createdAt: 1, failedAt: 2, attempts: 5, error: 'no route\nat x' }
  const account = {
    ...{ id: 'u1', kind: 'user' as const, slug: 'jo', email: 'jo@example.com', plan: 'pro' as const },
    ...{ softBlocked: true, operator: false, createdAt: 1, projects: 3, deployments: 14 },
  }
  await using machine = await startMachine(
    answers(listAccounts, () => ({ accounts: [account], pagination: pages })),
    answers(listFailedJobs, () => ({ jobs: [job], pagination: pages })),
    answers(retryFailedJob, ({ params }) => {
      if (params.id !== 'job_1') throw new AloftError('not_found', 'There is no dead job `x`.')
      return { id: 'job_1', name: 'mail', state: 'queued' }
    }),
    answers(deleteFailedJob, () => undefined),
  )
  const run = (...line: string[]) => machine.run(['operator', ...line], env)
  assert.match((await run('accounts', 'ls', '--search', 'jo')).stdout, /^jo +user +pro +blocked +3 +14 /m)
  assert.deepEqual(machine.api.requests[0]?.query, { search: 'jo' })
  assert.match((await run('jobs', 'failed')).stdout, /^job_1 +mail .* 5 +no route$/m)
  assert.equal((await run('jobs', 'retry', 'job_1')).stdout, 'mail is queued as job_1.\n')
  assert.equal((await run('jobs', 'retry', 'x')).code, 4)
  assert.equal((await run('jobs', 'rm', 'job_1', '--yes')).stdout, 'Deleted job_1.\n')
})
