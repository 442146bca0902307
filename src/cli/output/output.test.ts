import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutput, hasColors } from './output.ts'

const sink = (isTTY: boolean) => {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}

test('there are colours on a terminal only, and none when NO_COLOR is set or the terminal is dumb', () => {
  assert.equal(hasColors(sink(true), {}), true)
  assert.equal(hasColors(sink(true), { NO_COLOR: '' }), true)
  assert.equal(hasColors(sink(true), { NO_COLOR: '1' }), false)
  assert.equal(hasColors(sink(true), { TERM: 'dumb' }), false)
  assert.equal(hasColors(sink(false), { FORCE_COLOR: '1' }), false)
})

test('colours are decided for results and talk apart', () => {
  const out = createOutput({ stdout: sink(false), stderr: sink(true), env: {}, json: false })
  assert.equal(out.colors.bold('x'), 'x')
  assert.notEqual(out.talkColors.bold('x'), 'x')
})

test('a result is JSON or text, and an empty text prints nothing', () => {
  const [text, json, stderr] = [sink(false), sink(false), sink(false)]
  createOutput({ stdout: text, stderr, env: {}, json: false }).show({ a: 1 }, () => 'one')
  createOutput({ stdout: text, stderr, env: {}, json: false }).show([], () => '')
  createOutput({ stdout: json, stderr, env: {}, json: true }).show({ a: 1 }, () => assert.fail())
  assert.equal(text.written.join(''), 'one\n')
  assert.deepEqual(JSON.parse(json.written.join('')), { a: 1 })
  assert.deepEqual(stderr.written, [])
})

test('a status is drawn over on a terminal, cut to its width, and shown nowhere else', () => {
  const [terminal, pipe] = [{ ...sink(true), columns: 12 }, sink(false)]
  const live = createOutput({ stdout: sink(false), stderr: terminal, env: {}, json: false })
  live.status('working')
  live.status('working on something')
  live.say('done')
  live.status()
  const clear = '\r\u001b[2K'
  assert.equal(terminal.written.join(''), `working${clear}working on ${clear}done\n`)
  createOutput({ stdout: pipe, stderr: pipe, env: {}, json: false }).status('working')
  createOutput({ stdout: pipe, stderr: sink(true), env: {}, json: true }).status('working')
  assert.deepEqual(pipe.written, [])
})

test('a file of others cannot steer the terminal, and goes to another program as it is', async () => {
  const pieces = ['\u001b]52;c;', 'evil\u0007\u001b[2Jé'].map((text) => Buffer.from(text))
  const [start = Buffer.alloc(0), end = Buffer.alloc(0)] = pieces
  const cut = async function* () {
    yield* [start, end.subarray(0, -1), end.subarray(-1)]
  }
  const [terminal, pipe] = [sink(true), sink(false)]
  const to = (stdout: typeof terminal) => createOutput({ stdout, stderr: sink(false), env: {}, json: false })
  await to(terminal).stream(cut())
  assert.doesNotMatch(terminal.written.join(''), /\p{Cc}/u)
  assert.match(terminal.written.join(''), /é$/)
  await to(pipe).stream(cut())
  assert.equal(String(Buffer.concat(pipe.written.map((part) => Buffer.from(part)))), pieces.join(''))
})

test('a text of others cannot steer the terminal, even where nobody thought of it', () => {
  const evil = '\u001b]0;title\u0007\u001b[2J\u009b2Jok\rover\u202e'
  const [terminal, stderr, pipe, json] = [sink(true), sink(true), sink(false), sink(true)]
  const out = createOutput({ stdout: terminal, stderr, env: {}, json: false })
  out.show({}, () => `${out.colors.bold('one')}\t${evil}\ntwo`)
  out.line({}, () => evil)
  out.say(evil)
  out.status(evil)
  assert.equal(terminal.written.join(''), `${out.colors.bold('one')}\tok over \ntwo\nok over \n`)
  assert.equal(stderr.written.join(''), 'ok over \nok over ')
  createOutput({ stdout: pipe, stderr, env: {}, json: false }).show({}, () => evil)
  assert.equal(pipe.written.join(''), `${evil}\n`)
  const data = { evil }
  const asJson = createOutput({ stdout: json, stderr, env: {}, json: true })
  asJson.show(data, () => '')
  asJson.line(data, () => '')
  const text = json.written.join('')
  assert.ok(!/[\u007f-\u009f\u202e]/.test(text) && !text.includes('\u001b'))
  assert.deepEqual(JSON.parse(json.written[0] ?? ''), data)
})

test('what comes bit by bit is a line each, of text or of JSON', () => {
  const [text, json] = [sink(false), sink(false)]
  createOutput({ stdout: text, stderr: sink(false), env: {}, json: false }).line({ a: 1 }, () => 'one')
  createOutput({ stdout: json, stderr: sink(false), env: {}, json: true }).line({ a: 1 }, () => 'one')
  assert.deepEqual([text.written, json.written], [['one\n'], ['{"a":1}\n']])
})
