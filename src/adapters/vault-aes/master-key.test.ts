import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { loadMasterKey, MasterKeyError } from './master-key.ts'

const scratch = await mkdtemp(join(tmpdir(), 'aloft-key-'))
after(() => rm(scratch, { recursive: true, force: true }))
let count = 0
const newFile = () => join(scratch, `data-${count++}`, 'nested', 'master.key')

test('makes a key once, readable by its owner alone, and finds it again', async () => {
  const file = newFile()
  const key = await loadMasterKey({ file })
  assert.equal(key.length, 32)
  assert.deepEqual(await loadMasterKey({ file }), key)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await stat(join(file, '..'))).mode & 0o777, 0o700)
  assert.deepEqual(await readdir(join(file, '..')), ['master.key'])
  assert.notDeepEqual(await loadMasterKey({ file: newFile() }), key)
})

test('makes no new key where the old one is needed', async () => {
  const file = newFile()
  await assert.rejects(
    loadMasterKey({ file, isNeeded: true }),
    /^MasterKeyError: The master key \S+ is missing/,
  )
  await assert.rejects(stat(file), { code: 'ENOENT' })
  const configured = randomBytes(32).toString('base64')
  assert.equal((await loadMasterKey({ file, configured, isNeeded: true })).length, 32)
  const key = await loadMasterKey({ file })
  assert.deepEqual(await loadMasterKey({ file, isNeeded: true }), key)
})

test('20 loads at once agree on one key', async () => {
  const file = newFile()
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey({ file })))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
  assert.equal((await readFile(file, 'utf8')).trim(), keys[0]?.toString('base64'))
  assert.deepEqual(await readdir(join(file, '..')), ['master.key'])
})

test('processes that start at once agree on one key', async () => {
  const file = newFile()
  const program = `
    import { loadMasterKey } from ${JSON.stringify(import.meta.resolve('./master-key.ts'))}
    process.stdout.write((await loadMasterKey({ file: process.argv[1] })).toString('hex'))`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, file])
  const outputs = await Promise.all(Array.from({ length: 6 }, start))
  const keys = new Set(outputs.map(({ stdout }) => stdout))
  assert.deepEqual([...keys], [(await loadMasterKey({ file })).toString('hex')])
})

test('a configured key goes before the file, which is not touched', async () => {
  const file = newFile()
  const key = randomBytes(32)
  for (const configured of [key.toString('base64'), key.toString('base64url')])
    assert.deepEqual(await loadMasterKey({ file, configured }), key)
  await assert.rejects(stat(file), { code: 'ENOENT' })
})

test('refuses a configured key that is not base64 of 32 bytes, without repeating it', async () => {
  const wrong = [
    '',
    'hunter2',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    randomBytes(32).toString('hex'),
    `${randomBytes(32).toString('base64')}\n`,
    `${randomBytes(32).toString('base64').slice(0, 42)}!=`,
  ]
  for (const configured of wrong)
    await assert.rejects(
      loadMasterKey({ file: newFile(), configured }),
      (error) =>
        error instanceof MasterKeyError && (configured === '' || !error.message.includes(configured.trim())),
    )
})

test('refuses a key file that others may read, and says how to close it', {
  skip: process.platform === 'win32',
}, async () => {
  const file = newFile()
  await loadMasterKey({ file })
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    await chmod(file, mode)
    await assert.rejects(loadMasterKey({ file }), (error) => {
      assert.ok(error instanceof MasterKeyError)
      assert.match(error.message, new RegExp(`mode 0${mode.toString(8)}.*chmod 600`))
      return true
    })
    assert.equal((await stat(file)).mode & 0o777, mode)
  }
})

test('refuses a file that does not hold a key instead of replacing it', async () => {
  const file = newFile()
  await loadMasterKey({ file })
  for (const content of ['', 'hunter2', randomBytes(32).toString('hex'), 'x'.repeat(100_000)]) {
    await writeFile(file, content)
    await assert.rejects(loadMasterKey({ file }), MasterKeyError)
    assert.equal(await readFile(file, 'utf8'), content)
  }
})

test('passes on what the file system answers', async () => {
  const file = newFile()
  await loadMasterKey({ file })
  await assert.rejects(loadMasterKey({ file: join(file, 'below-a-file') }), { code: 'ENOTDIR' })
})
