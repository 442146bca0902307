import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CliError, EXIT } from './exit.ts'
import { createPrompt } from './prompt.ts'

const terminal = (isTTY: boolean) => {
  const shown: string[] = []
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  output.on('data', (chunk) => shown.push(String(chunk)))
  return { input, output, shown }
}

const refused = (exit: number, message: RegExp) => (error: unknown) =>
  error instanceof CliError && error.exit === exit && message.test(error.message)

test('a yes goes on, in any usual spelling', async () => {
  for (const answer of ['y', 'Y', 'yes', ' Yes ']) {
    const { input, output, shown } = terminal(true)
    const asked = createPrompt({ input, output }, false).confirm('Remove jo?')
    input.write(`${answer}\n`)
    await asked
    assert.match(shown.join(''), /Remove jo\? \[y\/N\]/)
  }
})

test('anything else does not', async () => {
  for (const answer of ['', 'n', 'no', 'yep', 'yes please']) {
    const { input, output } = terminal(true)
    const asked = createPrompt({ input, output }, false).confirm('Remove jo?')
    input.write(`${answer}\n`)
    await assert.rejects(asked, refused(EXIT.cancelled, /^Cancelled\.$/))
  }
})

test('the end of input and Ctrl-C stop, instead of waiting for ever', async () => {
  const ended = terminal(true)
  const first = createPrompt(ended, false).confirm('Remove jo?')
  ended.input.end()
  await assert.rejects(first, refused(EXIT.cancelled, /^Cancelled/))

  const pressed = terminal(true)
  const second = createPrompt(pressed, false).ask('Who?', 'name it')
  pressed.input.write('\u0003')
  await assert.rejects(second, refused(EXIT.cancelled, /^Cancelled/))
})

test('with --yes nothing is asked', async () => {
  const { input, output, shown } = terminal(true)
  await createPrompt({ input, output }, true).confirm('Remove jo?')
  assert.deepEqual(shown, [])
})

test('without a terminal a question is refused with the way to do without', async () => {
  const prompt = createPrompt(terminal(false), false)
  await assert.rejects(prompt.confirm('Remove jo?'), (error: CliError) => {
    assert.equal(error.exit, EXIT.usage)
    assert.match(error.hint ?? '', /--yes/)
    return true
  })
  await assert.rejects(prompt.ask('Who?', 'name them'), (error: CliError) => {
    assert.equal(error.hint, 'name them')
    return true
  })
})

test('an answer is handed over without the blanks around it', async () => {
  const { input, output } = terminal(true)
  const asked = createPrompt({ input, output }, false).ask('Who?', '')
  input.write('  jo@example.com \n')
  assert.equal(await asked, 'jo@example.com')
})

test('a secret is typed without showing', async () => {
  const { input, output, shown } = terminal(true)
  const asked = createPrompt({ input, output }, false).secret('Value of KEY:', '')
  input.write(' hunter2 \r')
  assert.equal(await asked, ' hunter2 ')
  assert.equal(shown.join(''), 'Value of KEY: \n')

  const pressed = terminal(true)
  const stopped = createPrompt(pressed, false).secret('Value of KEY:', '')
  pressed.input.write('\u0003')
  await assert.rejects(stopped, refused(EXIT.cancelled, /^Cancelled/))
})

test('without a terminal a secret is all of stdin but the line break at its end', async () => {
  const piped = terminal(false)
  piped.input.end('one\r\ntwo\n\n')
  assert.equal(await createPrompt(piped, false).secret('Value?', ''), 'one\r\ntwo\n')

  const empty = terminal(false)
  empty.input.end('\n')
  await assert.rejects(createPrompt(empty, false).secret('Value?', 'use a file'), (error: CliError) => {
    assert.deepEqual([error.exit, error.hint], [EXIT.usage, 'use a file'])
    return true
  })

  const endless = terminal(false)
  endless.input.end(Buffer.alloc(1024 * 1024 + 1, 'x'))
  await assert.rejects(createPrompt(endless, false).secret('Value?', ''), refused(EXIT.usage, /Too much/))
})
