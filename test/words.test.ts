import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type Place, RETIRED, type Retired, SLIPS } from './words/retired-phrases.ts'

const root = resolve(import.meta.dirname, '..')

const FILES: Readonly<Record<Place, readonly string[]>> = {
  dashboard: ['src/dashboard/**/*.{ts,tsx}'],
  pages: ['src/http/**/*.ts', 'src/edge/**/*.ts', 'src/process/dev/*.ts'],
  messages: ['src/{core,contract,adapters,builder,process,config,ssh,dns}/**/*.ts'],
  mails: ['src/core/**/*mail*.ts'],
  cli: ['src/cli/**/*.ts'],
  docs: ['README.md', 'docs/*.md'],
}

/** What people read: not what is written for those who read the source. */
const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')

const read = (place: Place) =>
  globSync([...FILES[place]], { cwd: root })
    .filter((path) => !path.includes('.test.') && path !== 'docs/words.md')
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text: (path.endsWith('.md') ? text : withoutComments(text)).replaceAll(/\s+/g, ' ') }
    })

const escaped = (phrase: string): string => phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const patternOf = ({ phrase, whole }: Retired): RegExp =>
  whole
    ? new RegExp(`(?:['"\`>|]) ?${escaped(phrase)} ?(?:['"\`<|])`)
    : new RegExp(`(?<![\\w-])${escaped(phrase)}(?![\\w-])`)

for (const place of Object.keys(FILES) as Place[])
  test(`no retired phrase is left in the ${place}`, () => {
    const wanted = RETIRED.filter((each) => each.in?.includes(place) ?? true).map((each) => ({
      ...each,
      pattern: patternOf(each),
    }))
    const found = read(place).flatMap(({ path, text }) =>
      wanted
        .filter(({ pattern }) => pattern.test(text))
        .map(({ phrase, use }) => `${path}: “${phrase}” is “${use}”`),
    )
    assert.deepEqual(found, [])
  })

test('texts of the dashboard are free of slips', () => {
  const found = read('dashboard').flatMap(({ path, text }) =>
    SLIPS.filter(({ pattern }) => pattern.test(text.replaceAll(/\.\.\/|\.\.\.|Bearer …|BEGIN …/g, ''))).map(
      ({ pattern, says }) => `${path}: ${says} (${pattern.exec(text)?.[0]})`,
    ),
  )
  assert.deepEqual(found, [])
})
