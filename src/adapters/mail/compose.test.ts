import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime from 'postal-mime'
import type { Mail } from '#core/ports/mailer.ts'
import { createCompose } from './compose.ts'
import { MailError } from './mail-error.ts'

const compose = createCompose('Aloft <aloft@cloud.example>')
const mail: Mail = { to: 'ann@site.example', subject: 'Hi', text: 'plain', html: '<p>rich</p>' }
const build = (change: Partial<Mail>) =>
  new MailComposer(compose({ ...mail, ...change }, 'job_1', 0)).compile().build()
const headerNames = async (raw: Buffer) => (await PostalMime.parse(raw)).headers.map(({ key }) => key).sort()
const badAddress = (error: unknown) => error instanceof MailError && error.code === 'EADDRESS'

test('names sender, recipient, time and id', async () => {
  const parsed = await PostalMime.parse(await build({}))
  assert.deepEqual(parsed.from, { name: 'Aloft', address: 'aloft@cloud.example' })
  assert.deepEqual(parsed.to, [{ name: '', address: 'ann@site.example' }])
  assert.equal(parsed.messageId, '<job_1@cloud.example>')
  assert.equal(parsed.date, new Date(0).toISOString())
  assert.equal(parsed.subject, 'Hi')
  assert.equal(parsed.text?.trim(), 'plain')
  assert.equal(parsed.html?.trim(), '<p>rich</p>')
})

test('a line break in the subject makes no header', async () => {
  const plain = await headerNames(await build({}))
  for (const end of ['\r\n', '\n', '\r', '\u2028', '\u0085', '\0']) {
    const raw = await build({ subject: `Hi${end}Bcc: eve@evil.example${end}${end}body` })
    assert.deepEqual(await headerNames(raw), plain)
    assert.equal((await PostalMime.parse(raw)).subject, 'Hi Bcc: eve@evil.example body')
  }
})

test('no subject or body makes a header', async () => {
  const plain = await headerNames(await build({}))
  const text = fc.string({ unit: fc.constantFrom('\r', '\n', ':', ' ', 'B', 'é', '=', '?', '😀', '\t') })
  await fc.assert(
    fc.asyncProperty(text, text, text, async (subject, body, html) => {
      const names = await headerNames(
        await build({ subject: `a${subject}`, text: `a${body}`, html: `a${html}` }),
      )
      assert.deepEqual(names, plain)
    }),
    { numRuns: 200 },
  )
})

test('takes one bare address and nothing else as the recipient', () => {
  for (const to of ['ann+tag@site.example', 'ünal@exämple.example', "o'neil@site.example"])
    assert.equal(
      JSON.stringify(compose({ ...mail, to }, 'job_1', 0).to),
      JSON.stringify({ name: '', address: to }),
    )
  const wrong = [
    '',
    'ann',
    'ann@',
    '@site.example',
    'ann@site.example\r\nBcc: eve@evil.example',
    'ann@site.example\nBcc: eve@evil.example',
    'ann@site.example\r',
    'ann@site.example\0',
    'ann@site.example, eve@evil.example',
    'ann@site.example; eve@evil.example',
    'ann@site.example eve@evil.example',
    'Ann <ann@site.example>',
    '<ann@site.example>',
    'friends: ann@site.example;',
    '"ann@site.example\r\nRCPT TO:<eve@evil.example>"@site.example',
    '"a b"@site.example',
  ]
  for (const to of wrong) assert.throws(() => compose({ ...mail, to }, 'job_1', 0), badAddress, to)
})

test('refuses an id that could leave a header or a folder', () => {
  for (const id of ['', '../x', 'a/b', 'a b', 'a\r\nb', 'a>b', 'x'.repeat(129)])
    assert.throws(() => compose(mail, id, 0), MailError, id)
})

test('refuses a sender it could not send from', () => {
  for (const from of ['', 'Aloft', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example', 'Aloft <>'])
    assert.throws(() => createCompose(from), badAddress, from)
})
