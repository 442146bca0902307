import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { listDeploymentAliases } from '#contract/api/alias.ts'
import { getDeployment, listBuilds, redeployDeployment } from '#contract/api/deployment.ts'
import { readEvents } from '#contract/api/log.ts'
import { startMachine, TOKEN } from '../../cli-testing.ts'

const failed = {
  ...sampleDeployment,
  readyState: 'ERROR' as const,
  errorCode: 'install_failed',
  errorMessage: '`npm install` exited with 1.',
}
const texts = [
  'npm warn old',
  '\u001b[31mnpm error\u001b[39m code E404',
  'npm error 404 no-such-package',
  'bye',
]
/** The newest first, as the API answers when it is asked to. */
const events = texts
  .map((text, i) => ({
    ...{ type: 'stdout', created: i },
    payload: {
      ...{ text, id: String(i), serial: String(i), date: i, deploymentId: 'dpl_1' },
      info: { type: 'build', name: 'b', entrypoint: '' },
    },
  }))
  .reverse()

const machine = await startMachine(
  answers(getDeployment, () => failed),
  answers(redeployDeployment, () => failed),
  answers(listBuilds, () => ({ builds: [] })),
  answers(listDeploymentAliases, () => ({ aliases: [] })),
  answers(readEvents, () => ({ type: 'application/json', body: JSON.stringify(events) })),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...words: readonly string[]) => machine.run(words, { ALOFT_TOKEN: TOKEN })

const QUOTE = /│ npm error code E404\n│ npm error 404 no-such-package\n/
const HINT = /hint:? +A package couldn’t be installed/

test('whoever deploys is quoted the lines that say why the build failed, and what to try', async () => {
  const { code, stderr, stdout } = await aloft('redeploy', 'dpl_1')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, QUOTE)
  assert.match(stderr, HINT)
  assert.match(stderr, /aloft logs dpl_1 --build/)
  const { error } = JSON.parse((await aloft('redeploy', 'dpl_1', '--json')).stdout)
  assert.deepEqual(error.lines, ['npm error code E404', 'npm error 404 no-such-package', 'bye'])
})

test('so are those who inspect it, or read the log of its build', async () => {
  const inspected = await aloft('inspect', 'dpl_1')
  assert.match(inspected.stdout, QUOTE, inspected.stderr)
  assert.match(inspected.stdout, HINT)
  const { stdout, stderr } = await aloft('logs', 'dpl_1', '--build')
  assert.match(stdout, /npm warn old/)
  assert.match(stderr, QUOTE)
  assert.match(stderr, HINT)
})
