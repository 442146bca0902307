import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGitmodules } from './gitmodules.ts'
import { accessToModule } from './module-access.ts'
import { moduleAddress } from './submodules.ts'

test('.gitmodules is read as git reads it', () => {
  const { byPath, problems } = readGitmodules(
    [
      '# Libraries',
      '[submodule "libs/one"]',
      '\tpath = libs/one',
      '\turl = ../one.git ; beside',
      '\tbranch = main',
      '[submodule "with \\"quotes\\""]',
      '  path = "libs/two # not a comment"',
      '  url = https://git.example.com/two.git',
      '[other]',
      'path = x',
      'url = y',
    ].join('\r\n'),
  )
  assert.deepEqual(
    [...byPath.values()],
    [
      { path: 'libs/one', url: '../one.git' },
      { path: 'libs/two # not a comment', url: 'https://git.example.com/two.git' },
    ],
  )
  assert.equal(problems.length, 1, 'a section without a name is none of a submodule')
})

test('names, paths and addresses that lead elsewhere are refused', () => {
  const hostile: readonly (readonly [name: string, path: string, url: string])[] = [
    ['../../.git/hooks', 'a', 'https://h/x.git'],
    ['a', '../outside', 'https://h/x.git'],
    ['a', '/etc', 'https://h/x.git'],
    ['a', 'sub/.git/hooks', 'https://h/x.git'],
    ['a', '-path', 'https://h/x.git'],
    ['a', 'a', '--upload-pack=touch /tmp/x'],
    ['a', 'a', '"-u./x"'],
    ['a', 'a', '"https://h/x.git\\n[core]"'],
    ['a\u0007', 'a', 'https://h/x.git'],
    ['a', 'a', `https://h/${'x'.repeat(2000)}`],
  ]
  for (const [name, path, url] of hostile) {
    const { byPath, problems } = readGitmodules(`[submodule "${name}"]\npath = ${path}\nurl = ${url}\n`)
    assert.deepEqual([byPath.size, problems.length], [0, 1], JSON.stringify([name, path, url]))
  }
})

test('addresses are by https or SSH, or beside the repository', () => {
  const parent = 'https://git.example.com/acme/site.git'
  assert.equal(moduleAddress(parent, '../lib.git'), 'https://git.example.com/acme/lib.git')
  assert.equal(moduleAddress(parent, '../../other/lib'), 'https://git.example.com/other/lib')
  assert.equal(moduleAddress('ssh://git@h/acme/site.git', '../lib.git'), 'ssh://git@h/acme/lib.git')
  assert.equal(moduleAddress('aloft://own/u/site.git', '../lib.git'), 'aloft://own/u/lib.git')
  assert.equal(moduleAddress(parent, 'git@h.example:acme/lib.git'), 'ssh://git@h.example/acme/lib.git')
  for (const url of [
    'file:///etc',
    '/srv/git/x.git',
    'ext::sh -c touch% /tmp/x',
    'git://h/x.git',
    'aloft://own/somebody/x.git',
    'fd::17',
    'C:\\x',
    '',
  ])
    assert.throws(() => moduleAddress(parent, url), /is neither https nor SSH/, url)
})

test('what signs in is told to the host of the repository alone', () => {
  const parent = { url: 'https://h.example/acme/site.git', username: 'me', token: 'secret' }
  assert.equal(accessToModule(parent, 'https://h.example/acme/lib.git').token, 'secret')
  assert.deepEqual(accessToModule(parent, 'ssh://git@h.example/acme/lib.git'), {
    ...parent,
    url: 'https://h.example/acme/lib.git',
  })
  for (const url of [
    'https://other.example/acme/lib.git',
    'https://h.example:8443/acme/lib.git',
    'http://h.example/acme/lib.git',
    'https://h.example.evil.test/x.git',
  ])
    assert.deepEqual(accessToModule(parent, url), { url })
  assert.deepEqual(accessToModule(undefined, parent.url), { url: parent.url })
})
