import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { countVisit, createTally } from '#core/analytics/tally.ts'
import { apiSuite } from '#test/support/api-suite.ts'

const TWO_STAGES = [{ targetPercentage: 50, duration: 10 }, { targetPercentage: 100 }]

apiSuite('rolling releases', (server) => {
  let count = 0
  /** A project with something live, and what can be done to it. */
  async function begin(config?: object) {
    const { token, email } = await server.signUp()
    const name = `roll-${++count}`
    const host = `${name}.localhost`
    const call = (on: string, body?: object) =>
      server.call(on.replace('/rr', `/v1/projects/${name}/rolling-release`), { token, ...(body && { body }) })
    const deploy = async (text: string, more: object = {}) => {
      const { status, body } = await server.call('POST /v8/platform/deployments?forceNew=1', {
        token,
        body: {
          name,
          version: 2,
          target: 'production',
          files: [{ file: 'index.html', data: text }],
          ...more,
        },
      })
      assert.equal(status, 200, JSON.stringify(body))
      server.clock.advance(1000)
      return body.id as string
    }
    const visit = async (headers: Record<string, string> = {}, path = '/') => {
      const { body, headers: sent } = await server.visit(host, path, headers)
      return { text: String(body), cookie: sent.get('set-cookie')?.split(';')[0], headers: sent }
    }
    const release = async () => (await call('GET /rr')).body.rollingRelease
    const side = async (place: 'canary' | 'stable') => (await visit({ 'x-rolling-release': place })).text
    const old = await deploy('old')
    if (config) assert.equal((await call('PATCH /rr/config', config)).status, 200)
    return { token, email, name, host, call, deploy, visit, release, side, old }
  }
  const later = async (minutes: number) => {
    server.clock.advance(minutes * MINUTE + 100)
    await server.runJobs()
  }

  test('a share of the visitors gets the new deployment, and keeps it', async () => {
    const { deploy, visit, release, old, call } = await begin({ stages: TWO_STAGES })
    const fresh = await deploy('new')
    const { state, currentDeployment, canaryDeployment, currentCanaryPercentage, nextStage } = await release()
    assert.deepEqual(
      [state, currentDeployment.id, canaryDeployment.id, currentCanaryPercentage, nextStage.targetPercentage],
      ['ACTIVE', old, fresh, 50, 100],
    )
    const seen = new Map<string, string>()
    for (let i = 0; i < 60; i++) {
      const { text, cookie } = await visit()
      seen.set(text, cookie ?? '')
    }
    assert.deepEqual([...seen.keys()].toSorted(), ['new', 'old'])
    for (const [text, cookie] of seen)
      for (let i = 0; i < 5; i++) {
        const again = await visit({ cookie: `a=b; ${cookie}` })
        assert.deepEqual([again.text, again.cookie], [text, undefined])
      }
    await call('POST /rr/complete', { canaryDeploymentId: fresh })
    assert.equal((await release()).state, 'COMPLETE')
    for (const cookie of seen.values()) assert.equal((await visit({ cookie })).text, 'new')
    assert.equal((await visit()).cookie, undefined, 'nothing is shared any more')
  })

  test('a visitor can choose a side, for one request or for all', async () => {
    const { deploy, side, visit } = await begin({ stages: TWO_STAGES, canaryResponseHeader: true })
    await deploy('new')
    assert.deepEqual([await side('canary'), await side('stable')], ['new', 'old'])
    const forced = await visit({}, '/?vcrrForceCanary=true')
    assert.deepEqual([forced.text, forced.headers.get('x-rolling-release')], ['new', 'canary'])
    assert.equal((await visit({ cookie: forced.cookie ?? '' })).text, 'new')
    const back = await visit({ cookie: forced.cookie ?? '' }, '/?vcrrForceStable=true')
    assert.deepEqual([back.text, back.headers.get('x-rolling-release')], ['old', null])
    assert.equal(forced.headers.get('cache-control')?.startsWith('private'), true)
  })

  test('stages come by time, grow steadily where that is asked for, and the last one is live', async () => {
    const { deploy, release, visit } = await begin({
      advancementType: 'automatic',
      stages: [
        { targetPercentage: 10, duration: 5 },
        { targetPercentage: 20, duration: 10, linearShift: true },
        { targetPercentage: 100 },
      ],
    })
    const fresh = await deploy('new')
    await later(5)
    assert.equal((await release()).activeStage.index, 1)
    server.clock.advance(5 * MINUTE)
    const { currentCanaryPercentage: half } = await release()
    assert.ok(half > 55 && half < 65, String(half))
    await later(5)
    const { state, canaryDeployment } = await release()
    assert.deepEqual([state, canaryDeployment.id], ['COMPLETE', fresh])
    assert.equal((await visit()).text, 'new')
  })

  test('a release stands still while its project is paused, and goes on where it was', async () => {
    const { name, token, call, deploy, release, visit } = await begin({
      stages: [{ targetPercentage: 20, duration: 10, linearShift: true }, { targetPercentage: 100 }],
    })
    const fresh = await deploy('new')
    const { id } = (await server.call(`GET /v9/projects/${name}`, { token })).body
    await later(5)
    assert.equal((await call(`POST /v1/projects/${id}/pause`)).status, 200)
    await later(60)
    const during = await release()
    assert.equal((await call(`POST /v1/projects/${id}/unpause`)).status, 200)
    for (const { state, currentCanaryPercentage: share } of [during, await release()]) {
      assert.equal(state, 'ACTIVE')
      assert.ok(share > 55 && share < 65, String(share))
    }
    await later(4)
    assert.equal((await release()).state, 'ACTIVE')
    await later(1)
    assert.deepEqual([(await release()).state, (await release()).canaryDeployment.id], ['COMPLETE', fresh])
    assert.equal((await visit()).text, 'new')
  })

  test('a stage begins again while the account is blocked', async () => {
    const { email, deploy, release, visit } = await begin({ stages: TWO_STAGES })
    const fresh = await deploy('new')
    const { token } = await server.operator()
    const block = async (softBlocked: boolean) => {
      const on = `PATCH /v1/operator/accounts/${email}`
      assert.equal((await server.call(on, { token, body: { softBlocked } })).status, 200)
    }
    await later(5)
    await block(true)
    for (let n = 0; n < 3; n++) await later(10)
    await block(false)
    assert.deepEqual([(await release()).state, (await release()).activeStage.index], ['ACTIVE', 0])
    await later(10)
    assert.deepEqual([(await release()).state, (await release()).canaryDeployment.id], ['COMPLETE', fresh])
    assert.equal((await visit()).text, 'new')
  })

  test('visitors are shared with what the names of the project show, wherever else aliases lead', async () => {
    const { name, token, call, deploy, release, side, old } = await begin({ stages: TWO_STAGES })
    const complete = async (canaryDeploymentId: string) =>
      assert.equal((await call('POST /rr/complete', { canaryDeploymentId })).status, 200)
    const second = await deploy('second')
    await complete(second)
    for (const alias of [`a-${name}`, `z-${name}`])
      assert.equal((await call(`POST /v2/platform/deployments/${old}/aliases`, { alias })).status, 200)
    const third = await deploy('third')
    const { currentDeployment, canaryDeployment } = await release()
    assert.deepEqual([currentDeployment.id, canaryDeployment.id], [second, third])
    assert.deepEqual([await side('canary'), await side('stable')], ['third', 'second'])
    await complete(third)

    const body = { name: `shop-${name}.localhost` }
    assert.equal((await server.call(`POST /v10/projects/${name}/domains`, { token, body })).status, 200)
    await deploy('of its own', { alias: [name] })
    const fifth = await deploy('fifth')
    assert.deepEqual(
      [(await release()).currentDeployment.id, (await release()).canaryDeployment.id],
      [third, fifth],
    )
  })

  test('a release goes on after its project has gone to another account', async () => {
    const { name, token, call, deploy, visit } = await begin({
      stages: [{ targetPercentage: 10, duration: 5 }, { targetPercentage: 50, duration: 5 }, TWO_STAGES[1]],
    })
    const fresh = await deploy('new')
    const { body: team } = await server.call('POST /v1/teams', { token, body: { slug: `${name}-team` } })
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    const taken = await call(`PUT /projects/transfer-request/${offer.code}?teamId=${team.id}`, {})
    assert.equal(taken.status, 202)
    await later(5)
    const underWay = async () => (await call(`GET /rr?teamId=${team.id}`)).body.rollingRelease
    assert.equal((await underWay()).activeStage.index, 1)
    await later(5)
    const { state, canaryDeployment } = await underWay()
    assert.deepEqual([state, canaryDeployment.id], ['COMPLETE', fresh])
    assert.equal((await visit()).text, 'new')
  })

  test('a stage waits for somebody where it is to, and one after the other is approved', async () => {
    const { deploy, call, release, side } = await begin({
      advancementType: 'manual-approval',
      stages: [{ targetPercentage: 0 }, { targetPercentage: 30 }, { targetPercentage: 100 }],
    })
    const canaryDeploymentId = await deploy('new')
    await later(600)
    assert.equal((await release()).activeStage.index, 0)
    const approve = (nextStageIndex: number, id = canaryDeploymentId) =>
      call('POST /rr/approve-stage', { nextStageIndex, canaryDeploymentId: id })
    assert.equal((await approve(2)).status, 409)
    assert.equal((await approve(1, 'dpl_other')).status, 409)
    assert.equal((await approve(1)).body.rollingRelease.currentCanaryPercentage, 30)
    assert.equal((await approve(2)).body.rollingRelease.state, 'COMPLETE')
    assert.equal(await side('stable'), 'new')
    assert.equal((await approve(3)).status, 409, 'it is over')
  })

  test('pages of a release find their deployment with skew protection, also once it was aborted', async () => {
    const { call, deploy, visit, name, token } = await begin({ stages: TWO_STAGES })
    const body = {
      ssoProtection: { deploymentType: 'prod_deployment_urls_and_all_previews' },
      skewProtectionMaxAge: 3600,
    }
    assert.equal((await server.call(`PATCH /v9/projects/${name}`, { token, body })).status, 200)
    const canaryDeploymentId = await deploy('new')
    const page = () => visit({ 'x-deployment-id': canaryDeploymentId, 'x-rolling-release': 'stable' })
    assert.equal((await page()).text, 'new')
    assert.equal((await call('POST /rr/abort', { canaryDeploymentId })).status, 200)
    assert.equal((await page()).text, 'new')
  })

  test('an abort, a rollback and turning it off bring back what was live', async () => {
    for (const how of ['abort', 'rollback', 'off', 'delete'] as const) {
      const { name, token, deploy, call, release, visit, old } = await begin({ stages: TWO_STAGES })
      const canaryDeploymentId = await deploy('new')
      const { status } =
        how === 'abort'
          ? await call('POST /rr/abort', { canaryDeploymentId })
          : how === 'off'
            ? await call('PATCH /rr/config', { enabled: false })
            : how === 'delete'
              ? await server.call(`DELETE /v8/platform/deployments/${canaryDeploymentId}`, { token })
              : await server.call(`POST /v9/projects/${name}/rollback/${old}`, { token })
      assert.ok(status < 300, `${how} ${status}`)
      assert.equal((await release()).state, 'ABORTED', how)
      assert.equal((await visit({ 'x-rolling-release': 'canary' })).text, 'old', how)
    }
  })

  test('a newer deployment takes the place of the one on its way, an older one does not', async () => {
    const { name, token, deploy, release, side } = await begin({ stages: TWO_STAGES })
    const second = await deploy('second')
    const third = await deploy('third')
    assert.equal((await release()).canaryDeployment.id, third)
    assert.deepEqual([await side('canary'), await side('stable')], ['third', 'old'])
    const promote = (id: string) => server.call(`POST /v10/projects/${name}/promote/${id}`, { token })
    assert.equal((await promote(second)).status, 202)
    assert.equal((await release()).canaryDeployment.id, second, 'somebody wants it')
    assert.equal((await promote(second)).status, 202)
    assert.deepEqual([(await release()).state, await side('stable')], ['COMPLETE', 'second'])
  })

  for (const how of ['the end of a pause', 'an alias of its own', 'being all that is live'] as const)
    test(`a release gives way to a newer deployment that is live at once by ${how}`, async () => {
      const { name, token, call, deploy, release, visit, side, old } = await begin({ stages: TWO_STAGES })
      const post = async (path: string) =>
        assert.equal((await call(`POST /v1/projects/${name}/${path}`)).status, 200)
      await deploy('on its way')
      if (how === 'the end of a pause') await post('pause')
      if (how === 'being all that is live')
        await server.call(`DELETE /v8/platform/deployments/${old}`, { token })
      await deploy('newest', how === 'an alias of its own' ? { alias: [name] } : {})
      if (how === 'the end of a pause') await post('unpause')
      const { state, reason } = await release()
      assert.deepEqual([state, reason], ['ABORTED', 'A newer deployment went to production.'])
      assert.equal(await side('canary'), 'newest')
      await later(10)
      assert.equal((await visit()).text, 'newest')
    })

  const trafficOf = (
    projectId: string,
    deploymentId: string,
    status: number,
    ms: number,
    requests: number,
  ) => {
    const tally = createTally()
    for (let i = 0; i < requests; i++) countVisit(tally, { status, ms, bytes: 1 })
    const at = Math.floor(server.clock.now() / MINUTE) * MINUTE
    return { projectId, deploymentId, target: 'production', step: 'minute', at, tally } as const
  }

  for (const [what, status, ms, reason] of [
    ['errors', 500, 10, /server errors \(5xx\)/],
    ['latency', 200, 900, /p95 latency/],
  ] as const)
    test(`one that does worse by its ${what} is taken back by itself, and somebody is told`, async () => {
      const gate = {
        failureThreshold: 2,
        windowSize: 3,
        checks: [{ type: 'error-rate-5xx' }, { type: 'p95-latency' }],
      }
      const { deploy, release, side, old, email } = await begin({
        stages: [{ targetPercentage: 50 }, { targetPercentage: 100 }],
        gate,
      })
      const fresh = await deploy('new')
      const { projectId } = (await server.parts.stores.deployments.find(fresh)) ?? { projectId: '' }
      await later(0.5)
      assert.equal((await release()).state, 'ACTIVE', 'nothing is known yet')
      await server.parts.trafficStore.add([
        trafficOf(projectId, old, 200, 10, 200),
        trafficOf(projectId, fresh, status, ms, 200),
      ])
      await later(0.5)
      assert.equal((await release()).state, 'ACTIVE', 'once may be an accident')
      await later(0.5)
      const ended = await release()
      assert.equal(ended.state, 'ABORTED')
      assert.match(ended.reason, reason)
      assert.equal(await side('canary'), 'old')
      const mails = await server.mails(email)
      assert.match(mails.at(-1)?.subject ?? '', /rolled back/)
      assert.match(mails.at(-1)?.text ?? '', reason)
    })

  test('what visitors of a paused project got counts against no deployment', async () => {
    const { name, token, call, deploy, release, old } = await begin({
      stages: [{ targetPercentage: 50 }, { targetPercentage: 100 }],
      gate: { failureThreshold: 1, windowSize: 1, checks: [{ type: 'error-rate-5xx' }] },
    })
    const fresh = await deploy('new')
    const { id } = (await server.call(`GET /v9/projects/${name}`, { token })).body
    await call(`POST /v1/projects/${id}/pause`)
    await server.parts.trafficStore.add([
      trafficOf(id, old, 200, 10, 200),
      trafficOf(id, fresh, 503, 10, 200),
    ])
    await later(5)
    await call(`POST /v1/projects/${id}/unpause`)
    await later(2)
    assert.equal((await release()).state, 'ACTIVE')
    await server.parts.trafficStore.add([
      trafficOf(id, old, 200, 10, 200),
      trafficOf(id, fresh, 503, 10, 200),
    ])
    await later(1)
    assert.equal((await release()).state, 'ABORTED')
  })

  test('what makes no sense is refused, and nothing is changed', async () => {
    const { call } = await begin()
    for (const stages of [
      [{ targetPercentage: 100 }],
      [{ targetPercentage: 10 }, { targetPercentage: 50 }],
      [{ targetPercentage: 60 }, { targetPercentage: 50 }, { targetPercentage: 100 }],
      [{ targetPercentage: 101 }, { targetPercentage: 100 }],
    ])
      assert.equal((await call('PATCH /rr/config', { stages })).status, 400, JSON.stringify(stages))
    const automatic = {
      advancementType: 'automatic',
      stages: [{ targetPercentage: 1 }, { targetPercentage: 100 }],
    }
    assert.equal((await call('PATCH /rr/config', automatic)).status, 400)
    assert.deepEqual((await call('GET /rr/config')).body, { rollingRelease: null })
    assert.equal((await call('POST /rr/start', { canaryDeploymentId: 'dpl_x' })).status, 400)
    assert.equal((await call('POST /rr/abort', { canaryDeploymentId: 'dpl_x' })).status, 409)
    assert.deepEqual((await call('GET /rr')).body, { rollingRelease: null })
  })
})
