import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '#test/support/server.ts'

/** What the Terraform provider sends for each of its resources, as its source says; Go leaves unset fields as null. */
test('a configuration of the Terraform provider is applied, read again, changed and destroyed', async (t) => {
  const server = await startServer()
  t.after(() => server.close())
  const { token, id: teamId } = await server.signUp()
  const send = async (on: string, body?: unknown, headers?: Record<string, string>) => {
    const [method, path] = on.split(' ') as [string, string]
    const asked = `${method} ${path}${path.includes('?') ? '&' : '?'}teamId=${teamId}`
    const { status, body: answer } = await server.call(asked, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    })
    assert.ok(status < 300, `${on} ${status}: ${JSON.stringify(answer)}`)
    return answer
  }

  const unset = {
    buildCommand: null,
    devCommand: null,
    framework: null,
    installCommand: null,
    outputDirectory: null,
    publicSource: null,
    rootDirectory: null,
  }
  const project = await send('POST /v8/projects', { ...unset, environmentVariables: null, name: 'formed' })
  assert.equal((await send(`GET /v10/projects/${project.id}`)).name, 'formed')
  assert.equal((await send('GET /v8/projects?limit=100')).projects.length, 1)

  const variables = `/v10/projects/${project.id}/env`
  const { created } = await send(`POST ${variables}`, {
    key: 'KEY',
    value: 'one',
    target: ['production'],
    type: 'encrypted',
    comment: '',
  })
  const changed = { value: 'two', target: ['production'], type: 'encrypted', comment: '' }
  await send(`PATCH ${variables}/${created.id}`, changed)
  const variable = await send(`GET ${variables}/${created.id}`)
  assert.deepEqual([variable.key, variable.value], ['KEY', 'two'])

  const text = '<h1>formed</h1>'
  const sha = createHash('sha1').update(text).digest('hex')
  await send('POST /v2/now/files', text, {
    'x-vercel-digest': sha,
    'content-type': 'application/octet-stream',
  })
  const deployment = await send('POST /v12/now/deployments?skipAutoDetectionConfirmation=1', {
    files: [{ file: 'index.html', sha, size: text.length }],
    build: {},
    project: project.id,
    name: project.id,
    projectSettings: {},
    target: 'production',
  })
  assert.deepEqual([deployment.aliasAssigned, deployment.projectId], [true, project.id])
  assert.equal((await send(`GET /v13/deployments/${deployment.id}`)).readyState, 'READY')
  assert.equal((await server.visit(deployment.url, '/')).body, text)

  const { price } = await send('GET /v4/domains/price?name=formed.com')
  await server.call('POST /v4/domains/buy', { token, body: { name: 'formed.com', expectedPrice: price } })
  const domains = `projects/${project.id}/domains`
  await send(`POST /v10/${domains}`, { name: 'formed.com' })
  await send(`POST /v10/${domains}`, { name: 'www.formed.com' })
  const redirect = { gitBranch: null, redirect: 'formed.com', redirectStatusCode: 308 }
  await send(`PATCH /v8/${domains}/www.formed.com`, redirect)
  const www = await send(`GET /v8/${domains}/www.formed.com`)
  assert.deepEqual([www.redirect, www.redirectStatusCode, www.projectId], ['formed.com', 308, project.id])
  assert.equal((await send('GET /v6/domains/formed.com/config')).serviceType, 'zeit.world')

  const record = { name: 'mail', type: 'MX', value: 'mx.formed.com', mxPriority: 10, ttl: 60, comment: '' }
  const { uid } = await send('POST /v4/domains/formed.com/records', record)
  await send(`PATCH /v4/domains/records/${uid}`, { value: '20 mx.formed.com', comment: '' })
  const found = await send(`GET /domains/records/${uid}`)
  assert.deepEqual(
    [found.domain, found.recordType, found.value, found.ttl],
    ['formed.com', 'MX', '20 mx.formed.com', 60],
  )
  const alias = await send(`POST /v2/deployments/${deployment.id}/aliases`, { alias: 'sale.formed.com' })
  assert.equal((await send('GET /v4/aliases/sale.formed.com')).deploymentId, deployment.id)

  await send(`DELETE /v2/aliases/${alias.uid}`)
  await send(`DELETE /v2/domains/formed.com/records/${uid}`)
  await send(`DELETE /v8/${domains}/www.formed.com`)
  await send(`DELETE /v8/projects/${project.id}/env/${created.id}`)
  await send(`DELETE /v13/deployments/${deployment.id}`)
  await send(`DELETE /v8/projects/${project.id}`)
  assert.equal((await send('GET /v8/projects?limit=100')).projects.length, 0)
})
