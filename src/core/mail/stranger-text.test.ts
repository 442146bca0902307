import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strangerLine, strangerText } from './stranger-text.ts'

test('names are shown as they are', () => {
  for (const name of ['aloft CLI 1.2.3 on laptop', 'Über & Söhne', 'CI (main)', 'e.g. this', 'v2.0'])
    assert.equal(strangerText(name), name.replace('e.g.', 'e.g.'))
})

test('nothing in it becomes a link', () => {
  for (const [given, shown] of [
    ['Click https://evil.example/now?x=1 at once', 'Click [link] at once'],
    ['HTTP://evil.example', '[link]'],
    ['javascript:alert(1).x', '[link]'],
    ['evil.example', 'evil[.]example'],
    ['www.evil.example', 'www[.]evil[.]example'],
    ['mail a@evil.example', 'mail a@evil[.]example'],
    ['evil。example', 'evil[.]example'],
    ['https://evil', '[link]'],
  ] as const)
    assert.equal(strangerText(given), shown)
})

test('it is one line, without what is not seen or turns the text around', () => {
  assert.equal(strangerText('a\r\nb\u2028c\u202edrowssap\u2066\u200b\ufeff d\t'), 'a b c drowssap d')
})

test('it is short, and no character is cut in two', () => {
  assert.equal(strangerText('x'.repeat(300)).length, 60)
  assert.equal(strangerText('😀'.repeat(300), 5), '😀😀😀😀…')
})

test('however long it is, little of it is looked at', () => {
  for (const long of ['a', 'a:/', 'www.']) {
    assert.ok(strangerText(long.repeat(500_000)).length <= 60)
    assert.ok(strangerLine(long.repeat(500_000)).length <= 240)
  }
})
