import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, before, test } from 'node:test'
import { type Installation, install, uninstall } from '#test/support/installation.ts'
import { APPS, type App, type Expectation } from './apps.ts'

let aloft: Installation

before(async () => {
  aloft = await install()
})
after(async () => {
  await aloft.stop()
  await uninstall(aloft)
})

async function call(path: string, body?: object) {
  const response = await fetch(`${aloft.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered
  return (await response.json()) as any
}

async function visit(host: string, { path, method = 'GET', body }: Expectation) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    headers: IncomingHttpHeaders
    text: string
  }>()
  const headers = { host, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  request({ port: aloft.port, host: '127.0.0.1', path, method, headers }, async (response) => {
    const text = Buffer.concat(await response.toArray()).toString('utf8')
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
  })
    .on('error', reject)
    .end(body)
  return promise
}

async function deploy({ name, files }: App) {
  const made = await call('/v8/platform/deployments', {
    version: 2,
    name,
    files: Object.entries(files).map(([file, data]) => ({ file, data })),
    env: { GREETING: 'from the deployment' },
  })
  assert.equal(made.error, undefined, JSON.stringify(made))
  // The stream of its build's log ends when it is over.
  const follow = await fetch(`${aloft.url}/v2/platform/deployments/${made.id}/events?follow=1&builds=1`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  const log = await follow.text()
  const deployment = await call(`/v8/platform/deployments/${made.id}`)
  assert.equal(deployment.readyState, 'READY', `${deployment.errorMessage}\n${log}`)
  return deployment
}

const only = process.env.ONLY_APP?.split(',')
for (const app of APPS.filter(({ name }) => only?.includes(name) ?? true))
  test(`${app.name} is built and answers`, async () => {
    const { url } = await deploy(app)
    for (const expected of app.shows) {
      const { status, headers, text } = await visit(url, expected)
      const told = `${expected.method ?? 'GET'} ${expected.path}: ${status}\n${text.slice(0, 2000)}`
      assert.equal(status, expected.status ?? 200, told)
      assert.match(text.replaceAll('<!-- -->', ''), expected.holds, told)
      if (expected.type) assert.match(headers['content-type'] ?? '', expected.type)
    }
  })
