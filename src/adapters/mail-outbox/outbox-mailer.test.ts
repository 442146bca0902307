import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import PostalMime from 'postal-mime'
import { DAY } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { createOutboxMailer } from './outbox-mailer.ts'

const scratch = await mkdtemp(join(tmpdir(), 'aloft-outbox-'))
after(() => rm(scratch, { recursive: true, force: true }))
let count = 0

const mail = { to: 'ann@site.example', subject: 'Log in', text: 'Grüße', html: '<p>Grüße</p>' }
function outbox() {
  const folder = join(scratch, `outbox-${count++}`)
  const time = { now: Date.UTC(2031, 1, 3, 4, 5, 6, 78) }
  const mailer = createOutboxMailer({ folder, from: 'aloft@cloud.example', clock: clockOf(() => time.now) })
  return { folder, time, mailer }
}

test('writes a mail as a file that a mail program reads', async () => {
  const { folder, mailer } = outbox()
  await mailer.send(mail, 'job_1')
  const [name, ...others] = await readdir(folder)
  assert.deepEqual(others, [])
  assert.equal(name, '20310203T040506078Z-job_1.eml')
  const raw = await readFile(join(folder, name))
  const parsed = await PostalMime.parse(raw)
  assert.match(
    parsed.headers.find(({ key }) => key === 'content-type')?.value ?? '',
    /^multipart\/alternative/,
  )
  assert.deepEqual(
    [parsed.messageId, parsed.date, parsed.subject, parsed.text?.trim(), parsed.html?.trim()],
    ['<job_1@cloud.example>', '2031-02-03T04:05:06.000Z', mail.subject, mail.text, mail.html],
  )
  assert.doesNotMatch(raw.toString('latin1'), /[^\r]\n/)
})

test('tells whoever runs the server what was not sent, with the link it is about', async () => {
  const folder = join(scratch, `outbox-${count++}`)
  const told: string[] = []
  const mailer = createOutboxMailer({ folder, from: 'aloft@cloud.example', tell: (text) => told.push(text) })
  await mailer.send({ ...mail, link: 'http://localhost/login/accept?token=x' }, 'job_1')
  await mailer.send(mail, 'job_2')
  assert.match(
    told[0] ?? '',
    /not sent to ann@site\.example:\n {2}Log in\n {2}http:\/\/localhost\/login\/accept\?token=x\n/,
  )
  assert.ok(told[1]?.includes(`Read it in ${folder}`))
})

test('lets nobody but the owner read mails', { skip: process.platform === 'win32' }, async () => {
  const { folder, mailer } = outbox()
  await mailer.send(mail, 'job_1')
  const [name = ''] = await readdir(folder)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
})

test('a repeated id replaces the mail, later and at once', async () => {
  const { folder, time, mailer } = outbox()
  await mailer.send(mail, 'b')
  await mailer.send(mail, 'a-b')
  time.now += 60_000
  await Promise.all(['one', 'two', 'three'].map((subject) => mailer.send({ ...mail, subject }, 'b')))
  assert.deepEqual(await readdir(folder), ['20310203T040506078Z-a-b.eml', '20310203T040506078Z-b.eml'])
  const raw = await readFile(join(folder, '20310203T040506078Z-b.eml'))
  assert.equal((await PostalMime.parse(raw)).subject, 'three')
})

test('sorts by time', async () => {
  const { folder, time, mailer } = outbox()
  for (const id of ['z', 'm', 'a']) {
    await mailer.send(mail, id)
    time.now += 1
  }
  assert.deepEqual(
    (await readdir(folder)).sort().map((name) => name.slice(20)),
    ['z.eml', 'm.eml', 'a.eml'],
  )
})

test('keeps mails for 30 days, and whatever else is in the folder', async () => {
  const { folder, time, mailer } = outbox()
  await mailer.send(mail, 'first')
  await writeFile(join(folder, '2000-notes.txt'), '')
  time.now += 20 * DAY
  await mailer.send(mail, 'second')
  time.now += 11 * DAY
  await mailer.send(mail, 'third')
  assert.deepEqual(
    (await readdir(folder)).sort().map((name) => name.slice(20)),
    ['', 'second.eml', 'third.eml'],
  )
})

test('a mail that cannot be written fails alone and leaves nothing behind', async () => {
  const { folder, mailer } = outbox()
  await writeFile(folder, 'in the way')
  await assert.rejects(mailer.send(mail, 'job_1'))
  await rm(folder)
  await assert.rejects(mailer.send({ ...mail, to: 'nobody' }, 'job_2'))
  await mailer.send(mail, 'job_3')
  assert.deepEqual(await readdir(folder), ['20310203T040506078Z-job_3.eml'])
})
