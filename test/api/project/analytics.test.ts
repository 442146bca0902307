import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectLogEntry, ProjectLogs } from '#contract/api/project-log.ts'
import { HOUR } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import type { TestServer } from '#test/support/server.ts'

/** A project with a page, and visits to it. */
async function visited(server: TestServer, name: string) {
  const { token } = await server.signUp()
  const { body: deployment } = await server.call('POST /v8/platform/deployments', {
    token,
    body: { name, version: 2, files: [{ file: 'index.html', data: 'hello' }] },
  })
  const host: string = deployment.aliasFinal[0]
  // Each is in the log before the next one, whichever server has answered it.
  for (const path of ['/', '/?secret=1', '/missing']) {
    await server.visit(host, path)
    await server.flushLogs()
  }
  await server.endTraffic()
  return { token, deployment, host }
}

apiSuite('analytics and logs of projects', (server) => {
  test('visits are counted, found in the log, and nobody else sees them', async () => {
    const { token, deployment, host } = await visited(server, 'counted')
    const stranger = await server.signUp()
    const read = async (query = '') =>
      (await server.call(`GET /v1/projects/counted/analytics${query}`, { token })).body

    const day = await read()
    assert.equal(day.step, HOUR)
    assert.equal(day.points.length, (day.to - day.from) / HOUR)
    assert.deepEqual(day.totals.status, { '2xx': 2, '3xx': 0, '4xx': 1, '5xx': 0 })
    assert.equal(day.totals.requests, 3)
    assert.deepEqual(
      day.topPaths.map(({ path, requests }: { path: string; requests: number }) => [path, requests]),
      [
        ['/', 2],
        ['/missing', 1],
      ],
    )
    const now = server.clock.now()
    const minutes = await read(`?from=${now - HOUR}&deploymentId=${deployment.id}`)
    assert.equal(minutes.step, 60_000)
    assert.equal(minutes.totals.requests, 3)
    assert.equal((await read('?deploymentId=dpl_another')).totals.requests, 0)
    const targets = await Promise.all(['production', 'preview', 'all'].map((t) => read(`?target=${t}`)))
    const [production, preview, all] = targets.map(({ totals }) => totals.requests)
    assert.deepEqual([production + preview, all], [3, 3])
    const { body: wrong, status } = await server.call('GET /v1/projects/counted/analytics?from=2&to=1', {
      token,
    })
    assert.deepEqual([status, wrong.error.code], [400, 'bad_request'])

    const { body: lines } = await server.call('GET /v1/analytics/projects?hours=3', { token })
    assert.deepEqual(
      lines.projects.map(({ id, requests, total }: { id: string; requests: number[]; total: number }) => [
        id,
        requests.length,
        total,
      ]),
      [[deployment.projectId, 3, 3]],
    )
    const foreign = await server.call(`GET /v1/analytics/projects?ids=${deployment.projectId}`, {
      token: stranger.token,
    })
    assert.deepEqual(foreign.body.projects, [])

    const logs = async (query = ''): Promise<ProjectLogs> =>
      (await server.call(`GET /v1/projects/counted/logs${query}`, { token })).body
    const paths = ({ entries }: ProjectLogs) =>
      entries.map((entry: ProjectLogEntry) => (entry.type === 'request' ? entry.path : entry.text))
    const whole = await logs()
    assert.deepEqual(paths(whole), ['/missing', '/?secret=1', '/'])
    assert.equal(whole.pagination.next, null)
    const [missing] = whole.entries
    assert.ok(missing?.type === 'request')
    assert.deepEqual(
      [missing.method, missing.host, missing.status, missing.level, missing.deploymentId, missing.source],
      ['GET', host, 404, 'warning', deployment.id, 'error'],
    )
    const first = await logs('?limit=1')
    assert.deepEqual(paths(first), ['/missing'])
    assert.deepEqual(paths(await logs(`?limit=1&until=${first.pagination.next}`)), ['/?secret=1'])
    for (const [query, expected] of [
      ['status=404', ['/missing']],
      ['status=4xx,5xx', ['/missing']],
      ['level=info', ['/?secret=1', '/']],
      ['path=/miss', ['/missing']],
      ['path=*secret', ['/?secret=1']],
      ['source=static', ['/?secret=1', '/']],
      ['source=error', ['/missing']],
      ['method=post', []],
      ['type=stdout,stderr', []],
      ['q=404', ['/missing']],
      [`host=${host}&status=404`, ['/missing']],
      [`requestId=${encodeURIComponent(missing.requestId)}`, ['/missing']],
      [`deploymentId=${deployment.id}&status=2xx`, ['/?secret=1', '/']],
    ] as const)
      assert.deepEqual(paths(await logs(`?${query}`)), expected, query)
    assert.equal((await server.call('GET /v1/projects/counted/logs?type=x', { token })).status, 400)
    const other = await visited(server, 'other')
    const borrowed = await server.call(`GET /v1/projects/counted/logs?deploymentId=${other.deployment.id}`, {
      token,
    })
    assert.ok([403, 404].includes(borrowed.status))
  })

  test('a project is followed over its deployments', async () => {
    const { token, host } = await visited(server, 'followed')
    const answer = await fetch(`${server.url}/v1/projects/followed/logs?follow=true&limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(answer.headers.get('content-type'), 'application/stream+json')
    const seen: string[] = []
    let text = ''
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString()
      const whole = text.split('\n')
      text = whole.pop() ?? ''
      for (const line of whole.filter((each) => each !== '')) {
        seen.push(JSON.parse(line).path)
        if (seen.length === 1) await server.visit(host, '/later')
      }
      if (seen.length === 2) break
    }
    assert.deepEqual(seen, ['/missing', '/later'])
  })
})
