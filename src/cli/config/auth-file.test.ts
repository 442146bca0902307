import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Redacted } from '#contract/redacted.ts'
import { authPath, openAuthFile } from './auth-file.ts'

const A = 'http://localhost:3000'
const B = 'https://aloft.example.com'
const login = (token: string) => ({ token: new Redacted(token), email: 'jo@example.com' })

let scratch: string
let path: string
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'aloft-auth-'))
  path = join(scratch, 'config', 'aloft', 'auth.json')
})
afterEach(() => rmSync(scratch, { recursive: true }))

const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)

test('the file lies where the environment says, and a relative folder does not count', () => {
  assert.equal(authPath({ XDG_CONFIG_HOME: '/etc/xdg', HOME: '/home/jo' }), '/etc/xdg/aloft/auth.json')
  assert.equal(authPath({ XDG_CONFIG_HOME: 'xdg', HOME: '/home/jo' }), '/home/jo/.config/aloft/auth.json')
  assert.equal(authPath({ HOME: '/home/jo' }), '/home/jo/.config/aloft/auth.json')
})

test('each installation has its own login, and the last one is where commands go', () => {
  const auth = openAuthFile(path)
  assert.equal(auth.current(), undefined)
  auth.save(A, login('one'))
  auth.save(B, login('two'))
  assert.equal(auth.current(), B)
  assert.equal(auth.find(A)?.token.reveal(), 'one')
  assert.equal(auth.find(B)?.token.reveal(), 'two')
  assert.equal(auth.find('http://other'), undefined)
  assert.equal(auth.find('constructor'), undefined)
})

test('a team is remembered with its login, for the same person and as long as the login is', () => {
  const auth = openAuthFile(path)
  const team = { id: 'team_1', slug: 'acme' }
  auth.save(A, login('one'))
  auth.switchTeam(A, new Redacted('an older one'), team)
  assert.equal(auth.find(A)?.team, undefined)
  auth.switchTeam(A, new Redacted('one'), team)
  auth.save(A, login('two'))
  assert.deepEqual(auth.find(A)?.team, team)
  auth.save(A, { token: new Redacted('three'), email: 'kim@example.com' })
  assert.equal(auth.find(A)?.team, undefined)
})

test('forgetting one login leaves the others, and one that was replaced meanwhile', () => {
  const auth = openAuthFile(path)
  auth.save(A, login('one'))
  auth.save(B, login('two'))
  auth.forget(B, new Redacted('an older one'))
  assert.equal(auth.find(B)?.token.reveal(), 'two')
  auth.forget(B, new Redacted('two'))
  assert.equal(auth.find(B), undefined)
  assert.equal(auth.current(), undefined)
  assert.equal(auth.find(A)?.token.reveal(), 'one')
})

test('only the owner may read the file, whatever the umask and whatever was there before', () => {
  const before = process.umask(0)
  try {
    openAuthFile(path).save(A, login('one'))
    assert.deepEqual([mode(path), mode(dirname(path)), mode(`${path}.lock`)], ['600', '700', '600'])
    chmodSync(path, 0o644)
    chmodSync(dirname(path), 0o755)
    openAuthFile(path).save(B, login('two'))
    assert.deepEqual([mode(path), mode(dirname(path))], ['600', '700'])
  } finally {
    process.umask(before)
  }
})

test('no half-written file is left beside it', () => {
  openAuthFile(path).save(A, login('one'))
  assert.deepEqual(readdirSync(dirname(path)).sort(), ['auth.json', 'auth.json.lock'])
})

test('a file that is not ours is not overwritten', () => {
  mkdirSync(dirname(path), { recursive: true })
  for (const text of ['', 'not json', '[]', '{"logins":{"x":{"token":1}}}', 'null']) {
    writeFileSync(path, text)
    const auth = openAuthFile(path)
    assert.throws(() => auth.find(A), /is not a valid login file/)
    assert.throws(() => auth.save(A, login('one')), /is not a valid login file/)
    assert.equal(readFileSync(path, 'utf8'), text)
  }
})

test('a folder that cannot be written is told with what to do', () => {
  writeFileSync(join(scratch, 'config'), 'a file where the folder should be')
  assert.throws(() => openAuthFile(path).save(A, login('one')), /cannot be used/)
})

test('terminals that log in at the same time lose nothing, and readers never see half a file', async () => {
  const terminals = 4
  const each = 10
  const module = new URL('./auth-file.ts', import.meta.url).href
  const redacted = import.meta.resolve('#contract/redacted.ts')
  const program = (terminal: number) => `
    const { openAuthFile } = await import(${JSON.stringify(module)})
    const { Redacted } = await import(${JSON.stringify(redacted)})
    const auth = openAuthFile(${JSON.stringify(path)})
    for (let i = 0; i < ${each}; i++) {
      auth.save('http://t${terminal}-' + i, { token: new Redacted('x'.repeat(1000)), email: 'jo@example.com' })
      auth.current()
    }`
  const children = Array.from({ length: terminals }, (_none, terminal) =>
    spawn(process.execPath, ['--input-type=module', '-e', program(terminal)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  assert.deepEqual(codes, Array(terminals).fill(0))
  assert.equal(Object.keys(JSON.parse(readFileSync(path, 'utf8')).logins).length, terminals * each)
})
