import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeployButton } from './deploy-button.ts'

test('a deploy button names a repository, a project and the variables it needs', () => {
  const button = readDeployButton({
    'repository-url': 'https://github.com/ada/Shop.git',
    'project-name': 'My Shop',
    env: 'API_KEY, SECRET,API_KEY,not a name',
    envDescription: 'Keys of the shop',
    envLink: 'https://example.com/keys',
    'build-command': 'npm run site',
  })
  assert.deepEqual(button, {
    url: 'https://github.com/ada/Shop.git',
    chosen: undefined,
    branch: '',
    rootDirectory: '',
    name: 'my-shop',
    variables: ['API_KEY', 'SECRET'],
    about: 'Keys of the shop',
    link: 'https://example.com/keys',
    settings: { buildCommand: 'npm run site' },
  })
})

test('the page of a folder of a branch is read as repository, branch and root directory', () => {
  for (const [link, url, branch, rootDirectory, name] of [
    [
      'https://github.com/a/b/tree/canary/examples/hello',
      'https://github.com/a/b',
      'canary',
      'examples/hello',
      'hello',
    ],
    ['https://gitlab.com/g/s/b/-/tree/main', 'https://gitlab.com/g/s/b', 'main', '', 'b'],
    ['git@github.com:a/tree.git', 'git@github.com:a/tree.git', '', '', 'tree'],
  ] as const) {
    const read = readDeployButton({ s: link })
    assert.deepEqual(
      [read.url, read.branch, read.rootDirectory, read.name],
      [url, branch, rootDirectory, name],
    )
  }
})

test('a link that leads anywhere but the web is left out', () => {
  for (const envLink of ['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://'])
    assert.equal(readDeployButton({ 'repository-url': 'https://a.test/b', envLink }).link, '')
})
