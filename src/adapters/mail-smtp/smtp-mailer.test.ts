import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Mailer } from '#core/ports/mailer.ts'
import { MailError } from '../mail/mail-error.ts'
import { createSmtpMailer } from './smtp-mailer.ts'

const from = 'Aloft <aloft@cloud.example>'
const mail = { to: 'ann@site.example', subject: 'Log in', text: 'Grüße', html: '<p>Grüße</p>' }
const PLAIN: SMTPServerOptions = { disabledCommands: ['STARTTLS', 'AUTH'] }
const AUTH: SMTPServerOptions = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }

interface Received {
  readonly raw: Buffer
  readonly sender: string | undefined
  readonly recipients: readonly string[]
  readonly secure: boolean
  readonly user: string | undefined
}

async function startServer(t: TestContext, options: SMTPServerOptions) {
  const received: Received[] = []
  let connections = 0
  const server = new SMTPServer({
    onConnect(_session, done) {
      connections++
      done()
    },
    onData(stream, { envelope, secure, user }, done) {
      const sender = envelope.mailFrom ? envelope.mailFrom.address : undefined
      const recipients = envelope.rcptTo.map(({ address }) => address)
      buffer(stream).then((raw) => {
        received.push({ raw, sender, recipients, secure, user })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailers: Mailer[] = []
  // The server waits for its connections, so the mailers that hold them go first.
  t.after(async () => {
    for (const mailer of mailers) mailer.close()
    await new Promise<void>((done) => server.close(done))
  })
  return {
    received,
    connections: () => connections,
    mailer(login = '', settings = '') {
      const mailer = createSmtpMailer({ url: `smtp://${login}127.0.0.1:${port}${settings}`, from })
      mailers.push(mailer)
      return mailer
    },
  }
}

test('hands a mail to the server', async (t) => {
  const server = await startServer(t, PLAIN)
  await server.mailer().send(mail, 'job_1')
  const [{ raw, sender, recipients } = assert.fail('nothing arrived')] = server.received
  const parsed = await PostalMime.parse(raw)
  assert.deepEqual(
    [parsed.from?.name, parsed.subject, parsed.text?.trim(), parsed.html?.trim(), parsed.messageId],
    ['Aloft', mail.subject, mail.text, mail.html, '<job_1@cloud.example>'],
  )
  assert.equal(sender, 'aloft@cloud.example')
  assert.deepEqual(recipients, [mail.to])
})

test('sends many mails at once over few connections, each one once', async (t) => {
  const server = await startServer(t, PLAIN)
  const smtp = server.mailer()
  await Promise.all(Array.from({ length: 40 }, (_, i) => smtp.send(mail, `job_${i}`)))
  const ids = await Promise.all(
    server.received.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId),
  )
  assert.equal(ids.length, 40)
  assert.equal(new Set(ids).size, 40)
  assert.ok(server.connections() <= 3)
})

test('logs in with the user and password of the URL', async (t) => {
  const server = await startServer(t, {
    ...AUTH,
    onAuth({ username, password }, _session, done) {
      done(null, username === 'us@er' && password === 'p/a:s%s' ? { user: username } : {})
    },
  })
  await server.mailer('us%40er:p%2Fa%3As%25s@').send(mail, 'job_1')
  assert.equal(server.received[0]?.user, 'us@er')
})

test('no error tells the password, even if the server repeats it', async (t) => {
  const password = 'hunter2/+ä'
  const encoded = Buffer.from(`\0ann\0${password}`).toString('base64')
  const server = await startServer(t, {
    ...AUTH,
    authMethods: ['PLAIN'],
    onAuth: (auth, _session, done) =>
      done(new Error(`${auth.password} ${encoded} ${Buffer.from(password).toString('base64')} is wrong`)),
  })
  const smtp = server.mailer(`ann:${encodeURIComponent(password)}@`)
  await assert.rejects(smtp.send(mail, 'job_1'), (error) => {
    assert.ok(error instanceof MailError)
    assert.equal(error.code, 'EAUTH')
    assert.match(error.message, /is wrong/)
    const shown = inspect(error, { depth: 9, showHidden: true })
    for (const form of ['hunter2', encoded, Buffer.from(password).toString('base64')])
      assert.ok(!shown.includes(form), shown)
    return true
  })
})

test('a header cannot be put in through subject or recipient', async (t) => {
  const server = await startServer(t, PLAIN)
  const smtp = server.mailer()
  const evil = '\r\nBcc: eve@evil.example\r\n\r\nbody'
  await assert.rejects(smtp.send({ ...mail, to: `${mail.to}${evil}` }, 'job_1'), { code: 'EADDRESS' })
  await assert.rejects(
    smtp.send({ ...mail, to: `${mail.to}>\r\nRCPT TO:<eve@evil.example` }, 'job_2'),
    MailError,
  )
  await smtp.send({ ...mail, subject: `Hi${evil}` }, 'job_3')
  assert.equal(server.received.length, 1)
  const [{ raw, recipients } = assert.fail('nothing arrived')] = server.received
  const parsed = await PostalMime.parse(raw)
  assert.equal(parsed.bcc, undefined)
  assert.equal(parsed.subject, 'Hi Bcc: eve@evil.example body')
  assert.deepEqual(recipients, [mail.to])
})

test('encrypts before it logs in where the URL requires it', async (t) => {
  const server = await startServer(t, {
    // Its built-in certificate is nobody's: no word about it on the console.
    logger: false,
    onAuth: ({ username }, { secure }, done) => done(null, secure && username ? { user: username } : {}),
  })
  await assert.rejects(server.mailer('ann:hunter2@', '?requireTLS=true').send(mail, 'job_1'), /certificate/)
  await server.mailer('ann:hunter2@', '?requireTLS=true&tls.rejectUnauthorized=false').send(mail, 'job_2')
  assert.equal(server.received[0]?.secure, true)
  assert.equal(server.received.length, 1)
})

test('sends nothing in the clear where the URL requires encryption and the server has none', async (t) => {
  const server = await startServer(t, { ...AUTH, onAuth: () => assert.fail('logged in without encryption') })
  await assert.rejects(server.mailer('ann:hunter2@', '?requireTLS=true').send(mail, 'job_1'), {
    code: 'ETLS',
  })
  assert.equal(server.received.length, 0)
})

test('a mail that the server refuses fails with its answer, and the next one goes out', async (t) => {
  const server = await startServer(t, {
    ...PLAIN,
    onRcptTo: ({ address }, _session, done) =>
      done(address === mail.to ? null : Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
  })
  const smtp = server.mailer()
  await assert.rejects(smtp.send({ ...mail, to: 'bob@site.example' }, 'job_1'), /550 no such mailbox/)
  await smtp.send(mail, 'job_2')
  assert.equal(server.received.length, 1)
})

test('a server that is not there is an error, not a wait', async () => {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  await once(socket, 'close')
  const smtp = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from })
  await assert.rejects(smtp.send(mail, 'job_1'), MailError)
  smtp.close()
})

test('sends nothing more once it is closed', async (t) => {
  const server = await startServer(t, PLAIN)
  const smtp = server.mailer()
  await smtp.send(mail, 'job_1')
  smtp.close()
  await assert.rejects(smtp.send(mail, 'job_2'), MailError)
})
