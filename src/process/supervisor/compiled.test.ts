import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCompiled } from './compiled.ts'

interface Answers {
  readonly answer: () => number
}

async function program(t: { after(done: () => Promise<void>): void }, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-compiled-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'program.cjs')
  await writeFile(file, text)
  const kept = () => readdirSync(folder).filter((name) => name !== 'program.cjs')
  return { folder, file, kept }
}

const answering = (number: number) =>
  `const { join } = require('node:path')\nexports.answer = () => join('a', 'b').length + ${number}`

const answerOf = (exports: unknown) => (exports as Answers).answer()

test('what was compiled is kept once, by the name that was asked for', async (t) => {
  const { file, kept } = await program(t, answering(4))
  const first = loadCompiled(file, 'one')
  assert.equal(answerOf(first.exports), 7)
  assert.deepEqual(kept(), [])
  first.keep()
  assert.equal(kept().length, 1)
  const [name = ''] = kept()
  assert.match(name, /^program\.cjs-one-[0-9a-f]+$/)
  const second = loadCompiled(file, 'one')
  assert.equal(answerOf(second.exports), 7)
  loadCompiled(file, 'two').keep()
  assert.equal(kept().length, 2)
})

test('code of another source of the same length is not taken, and is replaced', async (t) => {
  const { folder, file, kept } = await program(t, answering(4))
  loadCompiled(file, 'one').keep()
  const path = join(folder, kept()[0] ?? '')
  const before = readFileSync(path)
  writeFileSync(file, answering(5))
  const loaded = loadCompiled(file, 'one')
  assert.equal(answerOf(loaded.exports), 8)
  loaded.keep()
  assert.notDeepEqual(readFileSync(path), before)
  assert.equal(answerOf(loadCompiled(file, 'one').exports), 8)
})

test('code that was damaged, or ends early, is not taken', async (t) => {
  const { folder, file, kept } = await program(t, answering(4))
  loadCompiled(file, 'one').keep()
  const path = join(folder, kept()[0] ?? '')
  const whole = readFileSync(path)
  for (const damaged of [
    whole.subarray(0, whole.length - 1),
    whole.subarray(0, 5),
    whole.fill(1, whole.length - 9),
  ]) {
    writeFileSync(path, damaged)
    assert.equal(answerOf(loadCompiled(file, 'one').exports), 7)
  }
})

test('a folder that cannot be written to is left alone', async (t) => {
  const { folder, file } = await program(t, answering(4))
  await chmod(folder, 0o500)
  const loaded = loadCompiled(file, 'one')
  loaded.keep()
  assert.equal(answerOf(loaded.exports), 7)
  await chmod(folder, 0o700)
})
