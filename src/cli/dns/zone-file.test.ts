import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readZoneFile } from './zone-file.ts'

const read = (...lines: readonly string[]) =>
  readZoneFile(lines.join('\n'), 'example.com').map(({ name, type, value }) => `${name} ${type} ${value}`)

test('names are whole, whether they are relative, absolute, @ or those of the line before', () => {
  assert.deepEqual(
    read(
      '@ A 192.0.2.1',
      'WWW A 192.0.2.2',
      '  A 192.0.2.3',
      'other.net. A 192.0.2.4',
      '$ORIGIN sub',
      'a A 192.0.2.5',
    ),
    [
      'example.com A 192.0.2.1',
      'www.example.com A 192.0.2.2',
      'www.example.com A 192.0.2.3',
      'other.net A 192.0.2.4',
      'a.sub.example.com A 192.0.2.5',
    ],
  )
})

test('time and class may stand in either order, and numbers in a value stay', () => {
  assert.deepEqual(read('a 1h IN MX 10 mail', 'b IN 60 CNAME @', 'c SRV 1 2 3 sip.net.', 'd MX 0 .'), [
    'a.example.com MX 10 mail.example.com',
    'b.example.com CNAME example.com',
    'c.example.com SRV 1 2 3 sip.net',
    'd.example.com MX 0 .',
  ])
})

test('texts keep what is in their quotation marks, and their parts are one', () => {
  assert.deepEqual(
    read('a TXT "v=DKIM1; p=(" "abc)" ; comment', 'b TXT "say \\"hi\\" \\059"', 'c CAA 0 issue "ca.org"'),
    [
      'a.example.com TXT v=DKIM1; p=(abc)',
      'b.example.com TXT say "hi" ;',
      'c.example.com CAA 0 issue "ca.org"',
    ],
  )
})

test('brackets hold lines together', () => {
  assert.deepEqual(read('@ SOA ns. me. ( ; begin', '1 ; serial', '2 3 4 5 )', 'a TXT ( "x"', '"y" )'), [
    'example.com SOA ns. me. 1 2 3 4 5',
    'a.example.com TXT xy',
  ])
})

test('what is no zone file is told by its line', () => {
  const wrong = (text: string, why: RegExp) => assert.throws(() => readZoneFile(text, 'example.com'), why)
  wrong('a A 192.0.2.1\nb', /line 2: the record is incomplete/)
  wrong('$INCLUDE /etc/passwd', /line 1: \$INCLUDE is not supported/)
  wrong('a TXT "open', /line 1: unclosed quotation mark/)
  wrong('a TXT ( x', /unclosed bracket/)
  wrong('a TXT )', /line 1: closing bracket/)
})
