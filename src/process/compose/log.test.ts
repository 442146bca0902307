import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '#test/support/until.ts'
import { readableLine } from './log.ts'

const entry = (more: object): string =>
  readableLine(
    JSON.stringify({
      time: '2031-02-03T04:05:06.000Z',
      level: 40,
      process: 'serve',
      pid: 7,
      msg: 'it failed',
      ...more,
    }),
  )

test('an entry is one line, and its error is below it', () => {
  assert.equal(
    entry({ host: 'shop.example', count: 3, err: { message: 'no', stack: 'Error: no\n    at here' } }),
    '04:05:06 WARN  serve it failed host=shop.example count=3\n  Error: no\n      at here\n',
  )
})

test('what somebody else has put into an entry neither looks like another one nor is obeyed by a terminal', () => {
  const forged = '\r\n04:05:07 ERROR serve all is lost'
  const evil = `a${forged}\u001b[2J\u001b]0;title\u0007\u009b2J\u2028b`
  const text = entry({ path: evil, err: { message: evil, stack: `Error: ${evil}` } })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these is left
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/)
  for (const line of text.split('\n').slice(1, -1)) assert.match(line, /^ {2}/)
})

test('a process goes on where its log is on a disk that is full', {
  skip: process.platform !== 'linux' && 'there is no /dev/full',
}, () => {
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    const log = createLog('info', 'serve')
    log.info({}, 'one')
    log.info({}, 'two')
    setImmediate(() => process.exit(7))`
  const full = openSync('/dev/full', 'w')
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', full],
  })
  closeSync(full)
  assert.equal(status, 7)
})

test('a log that is not read at a terminal has a line of JSON for each entry, however long', () => {
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    createLog('info', 'serve').info({ long: 'é'.repeat(300_000), token: 'secret' }, 'one')
    process.exit()`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    maxBuffer: 2 ** 21,
  })
  const { long, token, msg } = JSON.parse(stderr)
  assert.deepEqual([long.length, token, msg], [300_000, '[redacted]', 'one'])
})

test('a process goes on while whoever reads its log stands still, and then each line is whole', async (t) => {
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    const log = createLog('info', 'serve')
    for (let n = 0; n < 100; n++) log.info({ n, long: 'x'.repeat(50_000) }, 'one')
    process.stdin.on('data', () => log.info({}, 'two'))
    process.stdout.write('went on')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  t.after(() => child.kill('SIGKILL'))
  assert.equal(String(await once(child.stdout, 'data')), 'went on')
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  await until(() => child.stdin.write('.') && text.includes('"two"'))
  child.stdin.end()
  await once(child, 'close')
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string })
  assert.ok(entries.length < 100)
  assert.equal(entries.at(-1)?.msg, 'two')
})
