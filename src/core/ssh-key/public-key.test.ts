import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPublicKey } from './public-key.ts'

function newKey(t: { after(work: () => void): void }, ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-key-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'ada@laptop', '-f', join(folder, 'key'), ...options])
  return folder
}

test('keys that ssh-keygen makes are read, with the fingerprint that it shows', (t) => {
  for (const options of [
    ['-t', 'ed25519'],
    ['-t', 'ecdsa', '-b', '384'],
    ['-t', 'rsa', '-b', '2048'],
  ]) {
    const folder = newKey(t, ...options)
    const text = readFileSync(join(folder, 'key.pub'), 'utf8')
    const key = readPublicKey(text)
    const shown = execFileSync('ssh-keygen', ['-l', '-f', join(folder, 'key.pub')], { encoding: 'utf8' })
    assert.equal(key.fingerprint, shown.split(' ')[1])
    assert.equal(key.comment, 'ada@laptop')
    assert.equal(key.text, text.split(' ').slice(0, 2).join(' '))
  }
})

/** A line of a key with numbers of these many bytes. */
function rsaOf(exponentBytes: number, modulusBytes: number): string {
  const parts = [Buffer.from('ssh-rsa'), Buffer.alloc(exponentBytes, 1), Buffer.alloc(modulusBytes, 0x7f)]
  const blob = Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(part.length)
      return [length, part]
    }),
  )
  return `ssh-rsa ${blob.toString('base64')}`
}

test('keys whose signatures take long to check are refused', () => {
  assert.ok(readPublicKey(rsaOf(3, 512)))
  for (const text of [rsaOf(3, 2048), rsaOf(3, 4096), rsaOf(256, 384), rsaOf(8, 384)])
    assert.throws(() => readPublicKey(text), /more than 8192 bits or an unusual exponent/)
})

test('what is no public key, weak or damaged is refused, and why is said', (t) => {
  const folder = newKey(t, '-t', 'ed25519')
  const weak = readFileSync(join(newKey(t, '-t', 'rsa', '-b', '1024'), 'key.pub'), 'utf8')
  const good = readFileSync(join(folder, 'key.pub'), 'utf8')
  for (const [text, why] of [
    [readFileSync(join(folder, 'key'), 'utf8'), /private key/],
    [weak, /fewer than 2048 bits/],
    [`${good}${good}`, /one line/],
    [good.replace('ssh-ed25519', 'ssh-dss'), /type `ssh-dss`/],
    [good.replace('ssh-ed25519', 'ssh-rsa'), /damaged/],
    [good.split(' ').slice(0, 2).join(' ').slice(0, -8), /damaged/],
    ['ssh-ed25519 !!!!', /one line/],
    ['hello', /one line/],
  ] as const)
    assert.throws(() => readPublicKey(text), why)
})
