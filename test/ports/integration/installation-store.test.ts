import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { OauthCode } from '#core/oauth/oauth-code.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import {
  sampleApplication,
  sampleEnvVariable,
  sampleInstallation,
  sampleProject,
  sampleToken,
  sampleUser,
} from '#test/support/samples.ts'

/** An application that is installed in somebody's account, with a token and a code. */
async function openInstalled(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { users, applications, installations, tokens, oauthCodes } = opened.stores
  const user = sampleUser()
  const application = sampleApplication({ ownerId: user.id })
  const installation = sampleInstallation({
    applicationId: application.id,
    ownerId: user.id,
    userId: user.id,
  })
  const token = sampleToken({ userId: user.id, kind: 'oauth2', installationId: installation.id })
  const code: OauthCode = {
    hash: 'code',
    installationId: installation.id,
    applicationId: application.id,
    userId: user.id,
    challenge: 'challenge',
    createdAt: 10,
    usedAt: null,
    tokenId: null,
  }
  await users.insert(user)
  await applications.add(application)
  await installations.add(installation)
  await tokens.insert(token, 'token')
  await oauthCodes.add(code)
  return { ...opened, user, application, installation, token, code }
}

eachDatabase((name, open) =>
  describe(`installations on ${name}`, () => {
    it('has an application once in an account', async (t) => {
      const { stores, installation, application } = await openInstalled(t, open)
      const { installations, applications } = stores
      assert.equal(await installations.add({ ...installation, id: 'icfg_again' }), false)
      assert.equal(await installations.add({ ...installation, id: 'icfg_other', ownerId: 'another' }), true)
      assert.deepEqual(
        (await installations.everywhere(application.id, '', 10)).map(({ ownerId }) => ownerId).sort(),
        ['another', installation.ownerId].sort(),
      )
      assert.equal(await applications.add({ ...application, id: 'oac_other', clientId: 'other' }), false)
    })

    it('finds a token with its installation, as that is at this moment', async (t) => {
      const { stores, user, token, installation } = await openInstalled(t, open)
      const { tokens, installations } = stores
      assert.deepEqual(await tokens.byHash('token'), { token, user, installation })
      await installations.update(installation.id, { disabledAt: 5 })
      assert.equal((await tokens.byHash('token'))?.installation?.disabledAt, 5)
      const other = sampleUser()
      await stores.users.insert(other)
      await tokens.handOver(installation.id, other.id)
      assert.deepEqual((await tokens.byHash('token'))?.user, other)
    })

    it('takes its tokens, codes and variables with it', async (t) => {
      const { stores, user, installation } = await openInstalled(t, open)
      const { installations, tokens, oauthCodes, projects, envVariables } = stores
      const project = sampleProject({ ownerId: user.id })
      await projects.insert(project)
      const [own, other] = [
        sampleEnvVariable({ projectId: project.id, configurationId: installation.id, key: 'OWN' }),
        sampleEnvVariable({ projectId: project.id, configurationId: null, key: 'OTHER' }),
      ]
      for (const variable of [own, other]) await envVariables.save(variable)
      assert.equal((await envVariables.list(project.id)).length, 2)
      await envVariables.deleteOf(installation.id)
      await installations.remove(installation.id)
      assert.deepEqual(await envVariables.list(project.id), [other])
      assert.equal(await installations.byId(installation.id), undefined)
      assert.equal(await tokens.byHash('token'), undefined)
      assert.equal(await oauthCodes.byHash('code'), undefined)
    })

    it('lets a code be used once, and forgets old ones', async (t) => {
      const { stores, code } = await openInstalled(t, open)
      const { oauthCodes } = stores
      assert.deepEqual(await oauthCodes.byHash('code'), code)
      assert.equal(await oauthCodes.use('code', 20, 'first'), true)
      assert.equal(await oauthCodes.use('code', 21, 'second'), false)
      assert.deepEqual(await oauthCodes.byHash('code'), { ...code, usedAt: 20, tokenId: 'first' })
      await oauthCodes.prune(10)
      assert.ok(await oauthCodes.byHash('code'))
      await oauthCodes.prune(11)
      assert.equal(await oauthCodes.byHash('code'), undefined)
    })

    it('loses nothing when different things are changed at the same moment', async (t) => {
      const { transact, stores, installation, application } = await openInstalled(t, open)
      await Promise.all([
        transact(({ installations }) => installations.update(installation.id, { disabledAt: 7 })),
        transact(({ installations }) => installations.update(installation.id, { projects: ['prj_1'] })),
        transact(({ applications }) => applications.update(application.id, { sealedSecret: 'new' })),
        transact(({ applications }) => applications.update(application.id, { name: 'renamed' })),
      ])
      const after = await stores.installations.byId(installation.id)
      assert.deepEqual([after?.disabledAt, after?.projects], [7, ['prj_1']])
      const changed = await stores.applications.byId(application.id)
      assert.deepEqual([changed?.sealedSecret, changed?.name], ['new', 'renamed'])
    })

    it('finds an application that was retired by its id alone', async (t) => {
      const { stores, application, user } = await openInstalled(t, open)
      const { applications, tokens } = stores
      await applications.retire(application.id)
      assert.equal((await applications.byId(application.id))?.webhookUrl, application.webhookUrl)
      assert.equal(await applications.byClientId(application.clientId), undefined)
      assert.equal(await applications.find(user.id, application.id), undefined)
      assert.deepEqual((await applications.list(user.id, { limit: 10 })).items, [])
      assert.equal(await tokens.byHash('token'), undefined)
      assert.equal(await applications.add({ ...application, id: 'oac_next' }), true, 'its slug is free')
    })
  }),
)
