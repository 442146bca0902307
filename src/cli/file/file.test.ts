import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { getDeployment, getFile, listDeployments, listFiles } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject, shownDeployment } from '../project/project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const machine = await startMachine(
  answers(getDeployment, ({ params }) => {
    if (params.id !== 'dpl_1') throw new AloftError('not_found', 'There is no such deployment.')
    return sampleDeployment
  }),
  answers(getProject, ({ params: { idOrName: name = '' } }) => {
    if (name !== 'shop' && name !== 'fresh') throw new AloftError('not_found', 'There is no such project.')
    return {
      ...sampleProject,
      name,
      targets: name === 'shop' ? { production: shownDeployment('dpl_1', 'shop.localhost') } : {},
    }
  }),
  answers(listDeployments, () => ({ deployments: [], pagination: { count: 0, next: null, prev: null } })),
  answers(listFiles, () => [
    {
      name: 'assets',
      type: 'directory',
      mode: 0o40755,
      children: [{ name: 'a.css', type: 'file', uid: 'aa' }],
    },
    { name: 'index.html', type: 'file', uid: 'bb' },
  ]),
  answers(getFile, ({ params }) => ({ type: 'text/plain', body: `content of ${params.fileId}` })),
)
after(() => machine[Symbol.asyncDispose]())

test('files are listed by path, and read as they are', async () => {
  const listed = await machine.run(['files', 'ls', 'dpl_1'], env)
  assert.equal(listed.stdout, 'assets/a.css\nindex.html\n')
  const json = await machine.run(['files', 'ls', 'dpl_1', '--json'], env)
  assert.deepEqual(JSON.parse(json.stdout).files[0], { path: 'assets/a.css', uid: 'aa' })
  assert.equal((await machine.run(['files', 'get', '/assets/a.css', 'dpl_1'], env)).stdout, 'content of aa')
})

test('a file goes where it is told to, but never over another', async () => {
  const line = ['files', 'get', 'index.html', 'dpl_1', '--output', 'saved.html']
  assert.equal((await machine.run(line, env)).stdout, 'Wrote saved.html.\n')
  assert.equal(readFileSync(join(machine.home, 'saved.html'), 'utf8'), 'content of bb')
  const again = await machine.run(line, env)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /EEXIST/)
})

test('what is not there exits with 4, and bytes are no JSON', async () => {
  assert.equal((await machine.run(['files', 'get', 'nope', 'dpl_1'], env)).code, 4)
  assert.equal((await machine.run(['files', 'ls', 'dpl_2'], env)).code, 4)
  assert.equal((await machine.run(['files', 'get', 'index.html', 'dpl_1', '--json'], env)).code, 2)
})

test('the name of a project stands for its live deployment, where no deployment is called so', async () => {
  const listed = await machine.run(['files', 'ls', 'shop'], env)
  assert.equal(listed.stdout, 'assets/a.css\nindex.html\n')
  const none = await machine.run(['files', 'ls', 'fresh'], env)
  assert.equal(none.code, 4)
  assert.match(none.stderr, /The project fresh has no deployments yet/)
  assert.match((await machine.run(['files', 'ls', 'nobody'], env)).stderr, /There is no such deployment/)
})
