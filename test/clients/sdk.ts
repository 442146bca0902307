import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { uploadOf } from './certificate.ts'
import type { Place } from './place.ts'
import type { KnownFailure, StepRecorder } from './report.ts'
import * as later from './sdk-later.ts'

// biome-ignore lint/suspicious/noExplicitAny: each version of the package has types of its own
type Sdk = any

const CONTACT = {
  country: 'DE',
  firstName: 'A',
  lastName: 'B',
  address1: 'Street 1',
  city: 'Town',
  state: 'XX',
  zip: '12345',
  phone: '+49.123456789',
  email: 'a@b.test',
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

const asDocumented = (complaint: RegExp): KnownFailure => ({
  complaint,
  why: 'It is done. The answer at this address is as the documents of the API say, and this version of the package refuses it',
})
/** A package names all that it finds wrong with an answer: these fields alone. */
const NEWER_PROJECT = asDocumented(
  /^Response validation failed: (?:(?:alias|defaultResourceConfig|deploymentExpiration|resourceConfig) Required(?:; |$))+$/,
)
const NO_TOKEN: KnownFailure = {
  complaint: /"missingToken":true/,
  why: 'This version asks without its token, and here nobody is answered without one',
}
/** A secret is shown to nobody again, and drains are made and removed, never changed. */
const OTHER_DRAIN: KnownFailure = {
  complaint:
    /^Response validation failed: (?:(?:0\.)?(?:deletedAt|updatedAt|environments|secret) Invalid input: expected \w+, received undefined(?:; |$))+$/,
  why: 'It is done. This version asks for fields that drains of this API do not have',
}
/** It was done, and nothing is said. */
const NO_CONTENT = asDocumented(
  /^Unexpected [^{]*: Status 200 Content-Type "?text\/plain; charset=utf-8"?\.? Body:? ?(?:"")?$/,
)
/** Methods whose addresses are our own: those stay as they are, whatever a later package asks of them. */
const DOCUMENTED: Readonly<Record<string, KnownFailure>> = {
  'projects.getProject': NEWER_PROJECT,
  'projects.updateProject': NEWER_PROJECT,
  'dns.createRecord': {
    complaint: /"code":"missing_name"/,
    why: 'This version leaves the name of a record out of what it sends',
  },
  'dns.removeRecord': NO_CONTENT,
  'logDrains.createConfigurableLogDrain': OTHER_DRAIN,
  'logDrains.getAllLogDrains': OTHER_DRAIN,
  'logDrains.getConfigurableLogDrain': OTHER_DRAIN,
  'deployments.uploadFile': {
    complaint: /^API error occurred: Status 400 /,
    why: 'This version sends the headers of a file without its content',
  },
  'domainsRegistrar.getDomainAvailability': NO_TOKEN,
  'domainsRegistrar.getDomainPrice': NO_TOKEN,
  'projects.requestPromote': asDocumented(
    /Status 202 Content-Type "?application\/json; charset=utf-8"?\.? Body:? \{\}$/,
  ),
  'teams.inviteUserToTeam': asDocumented(
    /^Response validation failed: role Invalid option: expected one of "OWNER"[^;]*$/,
  ),
  'teams.createTeam': asDocumented(
    /^Response validation failed: slug Invalid input: [^;]* received undefined; billing Invalid input: [^;]* received undefined$/,
  ),
  'teams.updateTeamMember': NO_CONTENT,
}

/** Every method that is about something this API has, with the package's own validation of answers. */
export async function sdkSteps(place: Place, folder: string, { step, cannot }: StepRecorder): Promise<void> {
  const { Vercel } = await import(join(folder, 'esm/index.js')).catch(
    () => import(join(folder, 'dist/esm/index.js')),
  )
  const sdk: Sdk = new Vercel({
    bearerToken: place.token,
    serverURL: place.url,
    retryConfig: { strategy: 'none' },
  })
  const has = (area: string, method: string): boolean => typeof sdk[area]?.[method] === 'function'
  const call = async (area: string, method: string, request?: unknown): Promise<Sdk> =>
    has(area, method)
      ? step(`${area}.${method}`, () => sdk[area][method](request), DOCUMENTED[`${area}.${method}`])
      : undefined
  const steps: later.SdkStep = { place, recorder: { step, cannot }, has, call }
  const name = place.name('sdk')

  await call('user', 'getAuthUser')
  await call('user', 'listUserEvents', { limit: 5 })

  await call('projects', 'createProject', { requestBody: { name } })
  await call('projects', 'getProjects', { limit: '20', search: name })
  await call('projects', 'getProject', { idOrName: name })
  await call('projects', 'updateProject', { idOrName: name, requestBody: { directoryListing: true } })
  const made = await call('projects', 'createProjectEnv', {
    idOrName: name,
    upsert: 'true',
    requestBody: { key: 'GREETING', value: 'hello', type: 'encrypted', target: ['preview', 'production'] },
  })
  const variable = [made?.created].flat()[0]
  await call('projects', 'filterProjectEnvs', { idOrName: name, decrypt: 'true' })
  await call('projects', 'getProjectEnv', { idOrName: name, id: variable?.id })
  await call('projects', 'editProjectEnv', { idOrName: name, id: variable?.id, requestBody: { value: 'hi' } })

  const text = `<h1>${name}</h1>`
  const early = has('domains', 'buyDomain')
  if (early) {
    cannot('deployments.uploadFile', 'This version sends the headers of a file without its content.')
    await place.upload(text)
  } else {
    const sent = await call('deployments', 'uploadFile', {
      contentLength: text.length,
      xVercelDigest: sha1(text),
      xNowDigest: sha1(text),
      requestBody: new Blob([text]),
    })
    if (sent === undefined) await place.upload(text)
  }
  const files = [{ file: 'index.html', sha: sha1(text), size: text.length }]
  const first = await call('deployments', 'createDeployment', {
    skipAutoDetectionConfirmation: '1',
    requestBody: { name, project: name, target: 'production', files, projectSettings: { framework: null } },
  })
  const second = await step('deployments.createDeployment (inline files)', () =>
    sdk.deployments.createDeployment({
      forceNew: '1',
      requestBody: {
        name,
        project: name,
        target: 'production',
        files: [{ file: 'index.html', data: `${text} again`, encoding: 'utf-8' }],
        projectSettings: { framework: null, buildCommand: null },
      },
    }),
  )
  await step('deployments.getDeployment', async () => {
    const found: Sdk = await sdk.deployments.getDeployment({ idOrUrl: (second as Sdk).id })
    assert.equal(found.readyState, 'READY')
    assert.equal(await place.visit(found.url), `${text} again`)
  })
  await step('deployments.getDeployment (by address)', () =>
    sdk.deployments.getDeployment({ idOrUrl: (second as Sdk).url, withGitRepoInfo: 'true' }),
  )
  await call('deployments', 'getDeployments', { limit: 5, app: name, state: 'READY', target: 'production' })
  await call('deployments', 'getDeploymentEvents', { idOrUrl: first?.id, limit: 10, builds: 1 })
  await call('deployments', 'listDeploymentFiles', { id: first?.id })
  await call('deployments', 'getDeploymentFileContents', { id: first?.id, fileId: sha1(text) })
  if (has('logs', 'getRuntimeLogs'))
    cannot(
      'logs.getRuntimeLogs',
      'The log is followed until its reader leaves, and this method waits for its end.',
    )

  await call('projects', 'requestPromote', { projectId: first?.projectId, deploymentId: first?.id })
  await call('projects', 'listPromoteAliases', { projectId: first?.projectId })
  await call('projects', 'requestRollback', {
    projectId: first?.projectId,
    deploymentId: (second as Sdk)?.id,
  })
  if (first && second) await later.releaseSteps(steps, { id: first.projectId, canaryDeploymentId: first.id })
  await later.environmentSteps(steps, name)
  await call('projects', 'pauseProject', { projectId: first?.projectId })
  await call('projects', 'unpauseProject', { projectId: first?.projectId })
  await call('projects', 'updateProjectDataCache', {
    projectId: first?.projectId,
    requestBody: { disabled: true },
  })
  await call('projects', 'updateProjectProtectionBypass', { idOrName: name, requestBody: {} })

  await call('aliases', 'assignAlias', {
    id: first?.id,
    requestBody: { alias: `${name}-alias.${place.domain}` },
  })
  await call('aliases', 'listDeploymentAliases', { id: first?.id })
  await call('aliases', 'listAliases', { limit: 5, projectId: first?.projectId })
  const alias = await call('aliases', 'getAlias', { idOrAlias: `${name}-alias.${place.domain}` })
  await call('aliases', 'deleteAlias', { aliasId: alias?.uid })

  const domain = `${name}.com`
  if (has('domains', 'buyDomain')) {
    await call('domains', 'checkDomainStatus', { name: domain })
    await call('domains', 'checkDomainPrice', { name: domain })
    const { price } = await place.api(`GET /v4/domains/price?name=${domain}`)
    await call('domains', 'buyDomain', {
      requestBody: {
        name: domain,
        expectedPrice: price,
        renew: true,
        ...CONTACT,
        postalCode: CONTACT.zip,
      },
    })
  } else {
    await call('domainsRegistrar', 'getDomainAvailability', { domain })
    await call('domainsRegistrar', 'getDomainPrice', { domain })
    const { price } = await place.api(`GET /v4/domains/price?name=${domain}`)
    const ordered = await call('domainsRegistrar', 'buySingleDomain', {
      domain,
      requestBody: { autoRenew: true, years: 1, expectedPrice: price, contactInformation: CONTACT },
    })
    if (ordered === undefined) await place.buy(domain)
  }
  const other = `other-${name}.com`
  await call('domains', 'createOrTransferDomain', { requestBody: { name: other, method: 'add' } })
  await call('domains', 'getDomains', { limit: 20 })
  await call('domains', 'getDomain', { domain })
  await call('domains', 'getDomainConfig', { domain })
  await call('domains', 'getDomainTransfer', { domain: other })
  await call('dns', 'createRecord', {
    domain,
    requestBody: { name: 'www', type: 'A', value: '192.0.2.1', ttl: 60 },
  })
  const records = await call('dns', 'getRecords', { domain, limit: '20' })
  let record = records?.records?.find((each: Sdk) => each.name === 'www')
  record ??= {
    id: (
      await place.api(`POST /v2/domains/${domain}/records`, { name: 'www', type: 'A', value: '192.0.2.1' })
    ).uid,
  }
  if (typeof sdk.getDomainsRecordsByRecordId === 'function')
    await step(
      'getDomainsRecordsByRecordId',
      () => sdk.getDomainsRecordsByRecordId({ recordId: record?.id }),
      NO_TOKEN,
    )
  await call('dns', 'updateRecord', { recordId: record?.id, requestBody: { value: '192.0.2.2' } })
  await call('dns', 'removeRecord', { domain, recordId: record?.id })

  await call('projects', 'addProjectDomain', { idOrName: name, requestBody: { name: domain } })
  await call('projects', 'getProjectDomains', { idOrName: name })
  await call('projects', 'getProjectDomain', { idOrName: name, domain })
  await call('projects', 'updateProjectDomain', {
    idOrName: name,
    domain,
    requestBody: { gitBranch: null },
  })
  await call('projects', 'verifyProjectDomain', { idOrName: name, domain })
  await call('domains', 'getDomainProjectDomains', { domain, limit: 20 })
  await call('projects', 'removeProjectDomain', { idOrName: name, domain })

  const issued = await call('certs', 'issueCert', { requestBody: { cns: [domain] } })
  await call('certs', 'getCerts', {})
  await call('certs', 'getCertById', { id: issued?.id })
  await call('certs', 'removeCert', { id: issued?.id })
  await call('certs', 'uploadCert', { requestBody: await uploadOf(domain) })
  await call('domains', 'deleteDomain', { domain: other })

  const slug = place.name('team')
  const invited = { email: place.guest.email, role: 'MEMBER' }
  const flat = !early
  await call('teams', 'createTeam', { slug, name: slug })
  const team = await place.api(`GET /v1/teams?slug=${slug}`)
  await call('teams', 'getTeams', { limit: 5 })
  await call('teams', 'getTeam', { teamId: team?.id, slug })
  await call('teams', 'patchTeam', { teamId: team?.id, slug, requestBody: { name: 'Renamed' } })
  await call('teams', 'inviteUserToTeam', {
    teamId: team?.id,
    requestBody: flat ? [invited] : invited,
  })
  await call('teams', 'getTeamMembers', { teamId: team?.id })
  await call('teams', 'updateTeamMember', {
    teamId: team?.id,
    uid: place.guest.id,
    requestBody: { role: 'OWNER' },
  })
  await place.api(`PATCH /v1/teams/${team?.id}/members/${place.guest.id}`, { role: 'MEMBER' })
  await call('teams', 'removeTeamMember', { teamId: team?.id, uid: place.guest.id })

  const token = await call('authentication', 'createAuthToken', { requestBody: { name: 'made by the sdk' } })
  await call('authentication', 'listAuthTokens')
  await call('authentication', 'getAuthToken', { tokenId: token?.token?.id })
  await call('authentication', 'deleteAuthToken', { tokenId: token?.token?.id })

  const hook = await call('webhooks', 'createWebhook', {
    requestBody: { url: 'https://example.com/hook', events: ['deployment.created'] },
  })
  await call('webhooks', 'getWebhooks', {})
  await call('webhooks', 'getWebhook', { id: hook?.id })
  await call('webhooks', 'deleteWebhook', { id: hook?.id })

  for (const method of ['invalidateByTags', 'dangerouslyDeleteByTags'])
    await call('edgeCache', method, { projectIdOrName: name, requestBody: { tags: ['news'] } })
  await later.integrationSteps(steps)
  await later.drainSteps(steps, first?.projectId)
  await later.transferSteps(steps, team?.id)
  await call('projects', 'removeProjectEnv', { idOrName: name, id: variable?.id })
  if (has('projects', 'batchRemoveProjectEnv')) {
    const { created } = await place.api(`POST /v10/projects/${name}/env`, {
      key: 'BATCH',
      value: 'x',
      type: 'encrypted',
      target: ['preview'],
    })
    await call('projects', 'batchRemoveProjectEnv', { idOrName: name, requestBody: { ids: [created.id] } })
  }
  const building = await place.api('POST /v8/platform/deployments', {
    name,
    version: 2,
    files: [{ file: 'package.json', data: '{"scripts":{"build":"sleep 600"}}' }],
  })
  await call('deployments', 'cancelDeployment', { id: building.id })
  await call('deployments', 'deleteDeployment', { id: first?.id })
  await call('projects', 'deleteProject', { idOrName: name })
}
