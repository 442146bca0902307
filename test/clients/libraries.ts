import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Place } from './place.ts'
import type { StepRecorder } from './report.ts'

const require = createRequire(import.meta.url)

interface DeployEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: each version has payloads of its own
  readonly payload: any
}
type CreateDeployment = (client: object, deployment: object) => AsyncIterable<DeployEvent>

/** `createDeployment` of @vercel/client and now-client: files are hashed, uploaded, deployed and waited for. */
export async function librarySteps(place: Place, folder: string, { step }: StepRecorder): Promise<void> {
  // The authority of an installation like this one is known to nobody.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const loaded = require(folder) as Record<string, CreateDeployment>
  const create = (loaded.createDeployment ?? loaded.createLegacyDeployment) as CreateDeployment
  const name = place.name('library')
  const path = join(await place.folder('library'), name)
  await mkdir(path)
  await writeFile(join(path, 'index.html'), `<h1>${name}</h1>`)
  const options = {
    token: place.token,
    apiUrl: place.secureUrl,
    path,
    debug: false,
    skipAutoDetectionConfirmation: true,
  }

  async function deployed(more: object, deployment: object): Promise<string> {
    let url: string | undefined
    const seen: string[] = []
    for await (const { type, payload } of create(
      { ...options, ...more },
      { name, version: 2, ...deployment },
    )) {
      seen.push(type)
      if (type === 'error') throw new Error(payload.message ?? JSON.stringify(payload))
      if (type === 'ready' || type === 'alias-assigned') url = payload.url
    }
    assert.ok(url, `events: ${seen.join(', ')}`)
    return url
  }

  await step('createDeployment', async () => {
    assert.equal(await place.visit(await deployed({}, {})), `<h1>${name}</h1>`)
  })
  await step('createDeployment (production)', async () => {
    await writeFile(join(path, 'index.html'), `<h1>${name} two</h1>`)
    await deployed({}, { target: 'production' })
    assert.equal(await place.visit(`${name}.localhost`), `<h1>${name} two</h1>`)
  })
  await step('createDeployment (a function)', async () => {
    await mkdir(join(path, 'api'))
    await writeFile(join(path, 'api', 'hi.js'), 'module.exports = (req, res) => res.end("hi")\n')
    assert.equal(await place.visit(await deployed({ force: true }, {}), '/api/hi'), 'hi')
  })
}

/** The client of the early days has its address built in: that alone is another one here. */
export async function earlySteps(
  place: Place,
  folder: string,
  { step, cannot }: StepRecorder,
): Promise<void> {
  const Client = require(folder)
  const client = new (Client.default ?? Client)(place.token)
  client.request = client.request.defaults({ baseUrl: place.url })
  const name = place.name('early')
  const made = await step('createDeployment', () =>
    client.createDeployment({
      package: { name, scripts: { start: 'node server.js' } },
      'server.js': 'require("http").createServer((q, s) => s.end("early")).listen(process.env.PORT || 3000)',
    }),
  )
  await step('getDeployments', async () => assert.ok((await client.getDeployments()).length > 0))
  await step('getDeployment', () => client.getDeployment((made as { uid: string }).uid))
  const files = await step('getFiles', () => client.getFiles((made as { uid: string }).uid))
  await step('getFile', () =>
    client.getFile((made as { uid: string }).uid, (files as readonly { uid: string }[])[0]?.uid),
  )
  const domain = `${name}.com`
  await place.buy(domain)
  await step('getDomains', async () => assert.ok((await client.getDomains()).length > 0))
  await step('addDomain', () => client.addDomain({ name: `other-${domain}`, isExternalDNS: true }))
  cannot('addDomainRecord', 'This version sends the request without the record.')
  await step('getDomainRecords', () => client.getDomainRecords(domain))
  await step('createCertificate', () => client.createCertificate(domain))
  await step('getCertificates', () => client.getCertificates())
  const secret = await step('createSecret', () => client.createSecret(`${name}-secret`, 'value'))
  await step('getSecrets', () => client.getSecrets())
  await step('renameSecret', () => client.renameSecret((secret as { uid: string }).uid, `${name}-renamed`))
  await step('deleteSecret', () => client.deleteSecret((secret as { uid: string }).uid))
  await step('getAliases', () => client.getAliases())
  await step('deleteDeployment', () => client.deleteDeployment((made as { uid: string }).uid))
}
