import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { getDeployment, listDeployments, listFiles } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { listMovedAliases, promoteDeployment, rollBackProject } from '#contract/api/project-production.ts'
import { getRelease } from '#contract/api/release.ts'
import { startMachine, TOKEN } from '../../cli-testing.ts'
import { sampleProject, shownDeployment } from '../../project/project-testing.ts'
import { RELEASE } from '../../release/release-testing.ts'
import { showChanges } from '../file-changes.ts'

const env = { ALOFT_TOKEN: TOKEN }
const plain = (text: string) => text
const colors = { green: plain, yellow: plain, red: plain, dim: plain } as Parameters<typeof showChanges>[1]

const file = (name: string, uid: string) => ({ name, type: 'file', uid, mode: 33188 })

test('promote shows what differs before it asks, and nothing is done where nobody can answer', async () => {
  await using machine = await startMachine(
    answers(getDeployment, () => sampleDeployment),
    answers(getProject, () => ({
      ...sampleProject,
      targets: { production: shownDeployment('dpl_old', 'shop-old.localhost') },
    })),
    answers(listFiles, ({ params }) =>
      params.id === 'dpl_old'
        ? [file('gone.html', '1'), { name: 'src', type: 'directory', children: [file('a.js', '2')] }]
        : [file('new.html', '4'), { name: 'src', type: 'directory', children: [file('a.js', '3')] }],
    ),
    answers(promoteDeployment, () => ({})),
    answers(listMovedAliases, () => ({ aliases: [], pagination: { count: 0, next: null, prev: null } })),
  )
  const asked = await machine.run(['promote', 'dpl_1'], env)
  assert.equal(asked.code, 2)
  assert.match(
    asked.stderr,
    /Production currently serves http:\/\/shop-old\.localhost:\d+\.\n3 files differ:\n {2}\+ new\.html\n {2}~ src\/a\.js\n {2}- gone\.html\n/,
  )
  const promoted = () => machine.api.requests.some(({ method }) => method === 'POST')
  assert.equal(promoted(), false)
  assert.equal((await machine.run(['promote', 'dpl_1', '--yes'], env)).code, 0)
  assert.equal(promoted(), true)
})

test('one file that differs is not several, and many are cut', () => {
  const none = { added: [], changed: [], removed: [] }
  assert.equal(showChanges(none, colors), 'The files are the same.')
  assert.equal(showChanges({ ...none, added: ['a'] }, colors), '1 file differs:\n  + a')
  const added = Array.from({ length: 40 }, (_, i) => `f${i}`)
  assert.match(showChanges({ ...none, added }, colors), /^40 files differ:\n/)
})

test('ls marks what is live', async () => {
  const item = (uid: string) => ({
    ...{ uid, name: 'shop', url: `${uid}.localhost`, created: 1, creator: { uid: 'u1' } },
    ...{ state: 'READY' as const, target: 'production' as const, projectId: 'prj_1', meta: {} },
  })
  await using machine = await startMachine(
    answers(getProject, () => ({
      ...sampleProject,
      targets: { production: shownDeployment('dpl_1', 'shop.localhost') },
    })),
    answers(listDeployments, () => ({
      deployments: [item('dpl_2'), item('dpl_1')],
      pagination: { count: 2, next: null, prev: null },
    })),
  )
  const { stdout } = await machine.run(['ls'], env)
  assert.match(stdout, /READY +production +.*dpl_2$/m)
  assert.match(stdout, /READY +production \(live\) +.*dpl_1$/m)
})

test('a rollback is undone by promoting the newest production deployment, and only where there is one to undo', async () => {
  let isHeld = true
  const request = {
    fromDeploymentId: 'dpl_1',
    toDeploymentId: 'dpl_old',
    jobStatus: 'succeeded',
    requestedAt: 1,
    type: 'rollback',
  }
  await using machine = await startMachine(
    answers(getDeployment, () => sampleDeployment),
    answers(getProject, () => ({ ...sampleProject, lastRollbackTarget: isHeld ? request : null }) as never),
    answers(listDeployments, () => ({
      deployments: [
        {
          ...{
            uid: sampleDeployment.id,
            name: 'shop',
            url: null,
            created: 1,
            creator: { uid: 'u1' },
            state: 'READY' as const,
          },
          ...{ projectId: 'prj_1', meta: {} },
        },
      ],
      pagination: { count: 1, next: null, prev: null },
    })),
    answers(promoteDeployment, () => ({})),
    answers(listMovedAliases, () => ({ aliases: [], pagination: { count: 0, next: null, prev: null } })),
  )
  machine.link({ projectId: 'prj_1', teamId: null })
  const undone = await machine.run(['rollback', '--undo', '--yes'], env)
  assert.equal(undone.code, 0, undone.stderr)
  assert.match(undone.stdout, /^Production now serves .*\.$/m)
  const { method, params } = machine.api.requests.findLast((seen) => seen.method === 'POST') ?? {}
  assert.deepEqual([method, params?.deploymentId], ['POST', sampleDeployment.id])
  isHeld = false
  const nothing = await machine.run(['rollback', '--undo', '--yes'], env)
  assert.equal(nothing.code, 1)
  assert.match(nothing.stderr, /no rollback to undo/)
})

test('a rollback leads to what production showed before, never to what was held back', async () => {
  const item = (uid: string, liveAt?: number) => ({
    ...{ uid, name: 'shop', url: `${uid}.localhost`, created: 1, creator: { uid: 'u1' } },
    ...{ state: 'READY' as const, projectId: 'prj_1', meta: {}, ...(liveAt === undefined ? {} : { liveAt }) },
  })
  let isUnderWay = false
  let listed = [item('dpl_live', 30), item('dpl_held'), item('dpl_old', 10), item('dpl_promoted', 20)]
  await using machine = await startMachine(
    answers(getDeployment, ({ params }) => ({ ...sampleDeployment, id: String(params.id) })),
    answers(getProject, () => ({
      ...sampleProject,
      targets: { production: { ...shownDeployment('dpl_live', 'shop.localhost'), liveAt: 30 } },
    })),
    answers(listDeployments, () => ({
      deployments: listed,
      pagination: { count: listed.length, next: null, prev: null },
    })),
    answers(getRelease, () => ({ rollingRelease: isUnderWay ? RELEASE : null })),
    answers(rollBackProject, () => ({})),
    answers(listMovedAliases, () => ({ aliases: [], pagination: { count: 0, next: null, prev: null } })),
  )
  machine.link({ projectId: 'prj_1', teamId: null })
  const ledTo = async () => {
    const back = await machine.run(['rollback'], env)
    assert.equal(back.code, 0, back.stderr)
    return machine.api.requests.findLast(({ method }) => method === 'POST')?.params.deploymentId
  }
  assert.equal(await ledTo(), 'dpl_promoted')
  isUnderWay = true
  assert.equal(await ledTo(), 'dpl_live', 'what is on its way to all visitors is not live yet')
  isUnderWay = false
  listed = listed.slice(0, 2)
  const none = await machine.run(['rollback'], env)
  assert.match(none.stderr, /There is no earlier production deployment\./)
})
