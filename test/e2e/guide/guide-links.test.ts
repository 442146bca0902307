import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root })

/** As the usual viewers make them of headings. */
const anchorsOf = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )

test('every link between pages leads to a page, and to a heading of it', () => {
  const broken: string[] = []
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? join(root, page) : join(root, dirname(page), path)
      const found =
        existsSync(target) && (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor))
      if (!found) broken.push(`${page}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('the index names every page', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const named = globSync('docs/*.md', { cwd: root }).map((page) => page.slice('docs/'.length))
  assert.deepEqual(
    named.filter((page) => page !== 'README.md' && !index.includes(`(${page})`)),
    [],
  )
})

/** Paths as they stand between backticks; `<noun>` and `x.test.ts` stand for many. */
const NAMED = /`((?:[\w@.-]+\/)*[\w@.-]+(?:\/|\.(?:ts|js|md|json|py)))`/g
const ANY_NAME = 'x.test.ts'

test('every file and folder that pages for contributors name is there', () => {
  const files = globSync(['*.*', '{src,test,scripts,docs,bench,bin}/**/*'], { cwd: root })
  const gone: string[] = []
  for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'])
    for (const [, name = ''] of readFileSync(join(root, page), 'utf8').matchAll(NAMED)) {
      const path = name.replace(/\/$/, '')
      const found = files.some((file) => file === path || file.endsWith(`/${path}`))
      if (!found && name !== ANY_NAME) gone.push(`${page}: ${name}`)
    }
  assert.deepEqual(gone, [])
})

test('the layers of the architecture page are the folders of src', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const folders = globSync('src/*', { cwd: root, withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(
    folders.map(({ name }) => `src/${name}`).filter((folder) => !new RegExp(`\\b${folder}\\b`).test(page)),
    [],
  )
})
