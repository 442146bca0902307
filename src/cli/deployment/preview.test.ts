import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { getDeployment, listFiles } from '#contract/api/deployment.ts'
import { getPreview } from '#contract/api/preview.ts'
import { getProject } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject, shownDeployment } from '../project/project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }

test('the preview of a deployment is waited for, saved under its id, and never over a file', async () => {
  let asked = 0
  await using machine = await startMachine(
    answers(getDeployment, () => sampleDeployment),
    answers(getPreview, () => {
      if (asked++ === 0) throw new AloftError('not_found', 'There is no preview yet.', { making: true })
      return { type: 'image/webp', body: 'image' } as never
    }),
  )
  const { stdout, code, stderr } = await machine.run(['preview', 'dpl_1'], env)
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim(), `${sampleDeployment.id}.webp`)
  assert.equal(asked, 2)
  assert.equal(await readFile(join(machine.home, stdout.trim()), 'utf8'), 'image')
  const again = await machine.run(['preview', 'dpl_1'], env)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /cannot be written/)
})

test('whatever a server calls a deployment, its preview is saved in this folder', async () => {
  await using machine = await startMachine(
    answers(getDeployment, () => ({ ...sampleDeployment, id: '../outside' })),
    answers(getPreview, () => ({ type: 'image/png', body: 'image' }) as never),
  )
  const { stdout, code, stderr } = await machine.run(['preview', 'dpl_1'], env)
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim(), 'preview.png')
})

test('compare lists what differs from production, or from the deployment that is named', async () => {
  const file = (name: string, uid: string) => ({ name, type: 'file', uid, mode: 33188 })
  let live: string | undefined = 'dpl_live'
  await using machine = await startMachine(
    answers(getDeployment, ({ params: { id } }) => ({
      ...sampleDeployment,
      id: id ?? '',
      url: `${id}.localhost`,
    })),
    answers(getProject, () => ({
      ...sampleProject,
      targets: live === undefined ? {} : { production: shownDeployment(live, 'live.localhost') },
    })),
    answers(listFiles, ({ params: { id } }) => [
      file('index.html', id ?? ''),
      ...Array.from({ length: 20 }, (_, n) => file(`${id}-${n}`, '1')),
    ]),
  )
  const { stdout } = await machine.run(['compare', 'dpl_new'], env)
  assert.match(
    stdout,
    /^http:\/\/dpl_live\.localhost:\d+ → http:\/\/dpl_new\.localhost:\d+\n41 files differ:\n/,
  )
  assert.match(stdout, /^ {2}~ index\.html$/m)
  assert.doesNotMatch(stdout, /and \d+ more/, 'all of them')
  const named = JSON.parse((await machine.run(['compare', 'dpl_new', 'dpl_old', '--json'], env)).stdout)
  assert.deepEqual([named.from, named.to, named.changed], ['dpl_old', 'dpl_new', ['index.html']])
  live = undefined
  const none = await machine.run(['compare', 'dpl_new'], env)
  assert.match(none.stderr, /no production deployment yet/)
})
