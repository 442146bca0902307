import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CliError, EXIT } from '../exit.ts'
import { projectName, readSiteFolder } from './site-folder.ts'

test('a folder gives the project its name, and one that a build writes that of what it is in', () => {
  assert.deepEqual(readSiteFolder('/home/jo', 'My Shop', '/home/jo'), {
    folder: '/home/jo/My Shop',
    home: '/home/jo/My Shop',
    name: 'my-shop',
  })
  assert.deepEqual(readSiteFolder('/home/jo/shop', 'dist', '/home/jo'), {
    folder: '/home/jo/shop/dist',
    home: '/home/jo/shop',
    name: 'shop',
  })
  // What lies directly in the home folder is no output of the home folder.
  assert.equal(readSiteFolder('/home/jo/public', undefined, '/home/jo').home, '/home/jo/public')
})

test('everything that somebody has is not deployed by mistake', () => {
  for (const [cwd, named] of [
    ['/home/jo', undefined],
    ['/home/jo/shop', '..'],
    ['/home/jo', '/'],
  ] as const)
    assert.throws(
      () => readSiteFolder(cwd, named, '/home/jo'),
      (error) => error instanceof CliError && error.exit === EXIT.usage,
    )
})

test('names are fit for an address', () => {
  assert.equal(projectName('Café & Bar!'), 'cafe-bar')
  assert.equal(projectName('日本'), 'site')
  assert.equal(projectName(`${'a'.repeat(51)}-b`), 'a'.repeat(51))
})
