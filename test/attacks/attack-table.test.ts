import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { withAttacks } from './attack-table.ts'
import { KINDS } from './kinds.ts'

const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')

/** What a page says of a kind: tried and held. */
const rowOf = (name: string, text = page): readonly number[] =>
  text
    .split('\n')
    .find((line) => line.startsWith(`| ${name} | `))
    ?.split(' | ')
    .slice(1)
    .map((cell) => Number.parseInt(cell, 10)) ?? []

test('SECURITY.md has a row for every kind of attack, and all that was tried held', () => {
  for (const { name } of KINDS) {
    const [tried = 0, held = 0] = rowOf(name)
    assert.ok(tried > 0, name)
    assert.equal(held, tried, name)
  }
})

test('the files of every kind are there', () => {
  for (const { files } of KINDS)
    for (const file of files) assert.ok(existsSync(new URL(`../../${file}`, import.meta.url)), file)
})

test('a run of one kind writes its row and the sum, and leaves the others', () => {
  const name = KINDS[0]?.name as string
  const [before = 0, sum = 0] = [rowOf(name)[0], rowOf('Together')[0]]
  const written = withAttacks(page, [{ name, tried: before + 5, held: before + 4 }])
  assert.deepEqual(rowOf(name, written), [before + 5, before + 4])
  assert.deepEqual(rowOf('Together', written), [sum + 5, sum + 4])
  assert.equal(withAttacks(page, [{ name, tried: 0, held: 0 }]), page, 'what could not be tried here')
  assert.equal(written.split('\n').length, page.split('\n').length)
  assert.throws(() => withAttacks('another page', []), /no place/)
})
