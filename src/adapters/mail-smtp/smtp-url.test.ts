import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { readSmtpUrl } from './smtp-url.ts'

test('reads host, port, login and encryption', () => {
  assert.deepEqual(readSmtpUrl('smtp://mail.example'), { host: 'mail.example', secure: false, tls: {} })
  assert.deepEqual(readSmtpUrl('smtps://ann:p%40ss@[::1]:465?tls.servername=mail.example&name=me.example'), {
    host: '::1',
    port: 465,
    secure: true,
    name: 'me.example',
    tls: { servername: 'mail.example' },
    auth: { user: 'ann', pass: 'p@ss' },
  })
  const { requireTLS, ignoreTLS } = readSmtpUrl('smtp://mail.example:587/?requireTLS=true&ignoreTLS=false')
  assert.deepEqual([requireTLS, ignoreTLS], [true, false])
})

test('refuses what it does not understand, without telling the password', () => {
  const wrong = [
    ['ann:hunter2@mail.example', /neither smtp/],
    ['http://ann:hunter2@mail.example', /neither smtp/],
    ['smtp://ann:hunter2@mail.example:99999', /not a URL/],
    ['smtp://ann:hunter2/x@mail.example', /not a URL/],
    ['smtp:ann:hunter2', /no host/],
    ['smtp://:hunter2@mail.example', /no user/],
    ['smtp://ann:hunter2%@mail.example', /%25/],
    ['smtp://ann:hunter2@mail.example?requireTls=true', /"requireTls"; known are requireTLS/],
    ['smtp://ann:hunter2@mail.example?requireTLS=yes', /requireTLS.*neither true nor false/],
    ['smtp://ann:hunter2@mail.example?requireTLS=true&ignoreTLS=true', /both/],
  ] as const
  for (const [url, message] of wrong)
    assert.throws(
      () => readSmtpUrl(url),
      (error) => {
        assert.match(String(error), message, url)
        assert.doesNotMatch(inspect(error, { showHidden: true }).replace(/^\s+at .*$/gm, ''), /hunter2/)
        return true
      },
    )
})
