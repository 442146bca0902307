import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HOUR, MINUTE } from '#contract/time.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'
import { giveBack, onPostgres } from '#test/support/database/databases.ts'
import { withOneConnection } from '#test/support/database/one-connection.ts'
import { sampleDomain, sampleInstance } from '#test/support/samples.ts'
import { type Account, startServer, type TestServer } from '#test/support/server.ts'
import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'

const FILES = [{ file: 'index.html', data: 'hello' }]
const FUNCTION = [{ file: 'api/hello.js', data: 'module.exports = (req, res) => res.end()' }]

/**
 * A transaction that needs a second connection gets one as long as others have some to spare. Where each of them holds one,
 * all of them wait for what none will give.
 */
onPostgres((_, open) =>
  describe('with one connection', () => {
    let databaseUrl: string
    let server: TestServer
    let undo: () => void
    before(async () => {
      undo = withOneConnection()
      databaseUrl = await open({ migrated: true, lent: true })
      server = await startServer({ databaseUrl })
    })
    after(async () => {
      await server?.close()
      undo?.()
      await giveBack(databaseUrl)
    })

    /** Whose quotas nobody has asked for yet. */
    const fresh = (): Promise<Account> => server.signUp()
    const post = (on: string, { token }: Account, body: object, right: readonly number[] = [200, 202, 204]) =>
      server.call(on.includes(' ') ? on : `POST ${on}`, { token, body }).then((answer) => {
        assert.ok(right.includes(answer.status), `${on} ${answer.status} ${JSON.stringify(answer.body)}`)
        return answer.body
      })
    const deploy = (me: Account, more: object = {}) =>
      post('/v8/platform/deployments', me, { version: 2, name: 'site', files: FILES, ...more })

    const MAKES: Readonly<Record<string, (me: Account) => Promise<unknown>>> = {
      'a deployment': (me) => deploy(me),
      'a deployment that is built': (me) => deploy(me, { files: FUNCTION }),
      'a project': (me) => post('/v10/projects', me, { name: 'one' }),
      'a domain': (me) => post('/v4/domains', me, { name: `${me.username}.example` }),
      'a secret': (me) => post('/v2/platform/secrets', me, { name: 'one', value: 'v' }),
      'a token': (me) => post('/v3/user/tokens', me, { name: 'one' }),
      'a team': (me) => post('/v1/teams', me, { slug: `of-${me.username}` }),
      'a certificate': async (me) => {
        const name = `cert-${me.username}.example`
        const domain = sampleDomain({ ownerId: me.id, creatorId: me.id, txtVerifiedAt: 1, name })
        await server.parts.stores.domains.add(domain)
        const authority = await makeAuthority()
        const { cert, key } = await makeLeaf(authority, [name])
        await post('PUT /v3/platform/certs', me, { ca: authority.cert, cert, key })
      },
    }
    for (const [what, make] of Object.entries(MAKES))
      test(`an account makes ${what}`, async () => void (await make(await fresh())))

    test('an alias is made', async () => {
      const [me, other] = [await fresh(), await fresh()]
      const { id } = await deploy(me)
      await post(`/v2/platform/deployments/${id}/aliases`, me, { alias: `alias-of-${other.username}` })
    })

    test('a member is added, another one accepts an invitation', async () => {
      const [me, second, third] = [await fresh(), await fresh(), await fresh()]
      const team = await post('/v1/teams', me, { slug: `with-${me.username}` })
      await post(`/v1/teams/${team.id}/invitations`, me, { email: third.email })
      await post(`/v1/teams/${team.id}/members`, me, { email: second.email })
      const text = (await server.mails(third.email)).at(-1)?.text ?? ''
      const link = /\/invitation\?token=\w+/.exec(text)?.[0]
      const browser = createBrowser(server)
      const page = await browser.call(`GET ${link}`)
      assert.ok((await browser.post('/invitation', hiddenIn(page.body))).status < 400)
    })

    test('a project is taken over', async () => {
      const [me, other] = [await fresh(), await fresh()]
      await deploy(me)
      const { code } = await post('/projects/site/transfer-request', me, {})
      await post(`PUT /projects/transfer-request/${code}`, other, {})
    })

    test('people are told of runs that were missed', async () => {
      const me = await fresh()
      const crons = { crons: [{ path: '/', schedule: '0 * * * *' }] }
      const files = [...FILES, { file: 'vercel.json', data: JSON.stringify(crons) }]
      await deploy(me, { files, target: 'production' })
      server.clock.advance(3 * HOUR + 10 * MINUTE)
      await server.runJobs()
      assert.match((await server.mails(me.email)).at(-1)?.text ?? '', /missed/)
    })

    test('a deployment is scaled', async () => {
      const me = await fresh()
      const { id } = await deploy(me, { files: FUNCTION })
      const { deployments, instances } = server.parts.stores
      await deployments.update(id, { state: 'READY' })
      await instances.add(sampleInstance({ deploymentId: id, ownerId: me.id }))
      await post(`/v1/platform/deployments/${id}/instances`, me, { min: 0, max: 2 })
      await post(`/v1/platform/deployments/${id}/instances`, me, { min: 1, max: 2 })
    })
  }),
)
