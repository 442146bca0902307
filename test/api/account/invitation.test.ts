import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'

apiSuite('invitations', (server) => {
  let count = 0
  const createTeam = async () => {
    const owner = await server.signUp()
    const slug = `inviting-${++count}`
    const { body } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug, name: 'Acme Inc.' },
    })
    const at = `/v1/teams/${body.id}`
    const invite = (email: string, role = 'MEMBER') =>
      server.call(`POST ${at}/invitations`, { token: owner.token, body: { email, role } })
    const list = async () =>
      (await server.call(`GET ${at}/invitations`, { token: owner.token })).body.invitations
    return { owner, slug, at, invite, list }
  }
  const linkTo = async (email: string): Promise<string> => {
    const mail = (await server.mails(email)).at(-1)
    return /\/invitation\?token=\w+/.exec(mail?.text ?? '')?.[0] ?? ''
  }

  test('somebody without an account is invited by mail, joins by its link, and is signed in', async () => {
    const { owner, slug, at, invite, list } = await createTeam()
    const email = `stranger-${count}@aloft.test`
    const made = await invite(email, 'OWNER')
    assert.equal(made.status, 200)
    assert.deepEqual([made.body.email, made.body.role], [email, 'OWNER'])
    assert.deepEqual(await list(), [made.body])
    assert.equal(await server.parts.stores.users.byEmail(email), undefined, 'asking alone makes no account')
    const link = await linkTo(email)
    const mail = (await server.mails(email)).at(-1)
    assert.match(mail?.html ?? '', /Accept invitation/)

    const browser = createBrowser(server)
    const page = await browser.call(`GET ${link}`)
    assert.ok(page.body.includes('Acme Inc.') && page.body.includes(email))
    const joined = await browser.post('/invitation', hiddenIn(page.body))
    assert.deepEqual([joined.status, joined.headers.get('location')], [303, `/a/${slug}`])
    assert.equal((await browser.call('GET /v2/user')).body.user.email, email)
    const { body: members } = await server.call(`GET ${at}/members`, { token: owner.token })
    assert.ok(
      members.some((one: { email: string; role: string }) => one.email === email && one.role === 'OWNER'),
    )
    assert.deepEqual(await list(), [])

    const second = createBrowser(server)
    assert.equal((await second.post('/invitation', hiddenIn(page.body))).status, 404, 'the link works once')
    assert.equal((await invite(email)).status, 409, 'who is in it need not be invited')
  })

  test('an invitation is withdrawn, lapses, and is replaced by a later one', async () => {
    const { owner, at, invite, list } = await createTeam()
    const email = `late-${count}@aloft.test`
    const { body: made } = await invite(email)
    const first = await linkTo(email)
    assert.equal((await invite(email)).status, 409, 'not twice within minutes')
    const gone = `DELETE ${at}/invitations/${made.id}`
    assert.equal((await server.call(gone, { token: owner.token })).status, 200)
    assert.equal((await server.call(gone, { token: owner.token })).status, 404)
    assert.equal((await server.call(`GET ${first}`)).status, 404)
    await invite(email)
    const lapsing = await linkTo(email)
    assert.equal((await server.call(`GET ${lapsing}`)).status, 200)
    server.clock.advance(7 * DAY)
    assert.equal((await server.call(`GET ${lapsing}`)).status, 404)
    assert.deepEqual(await list(), [])
  })

  test('what an owner has sent is withdrawn when they are none any more', async () => {
    const { owner, at, invite, list } = await createTeam()
    const other = await server.signUp()
    const as = (token: string, on: string, body: object) => server.call(on, { token, body })
    await as(owner.token, `POST ${at}/members`, { email: other.email, role: 'OWNER' })
    const [theirs, ours] = [`theirs-${count}@aloft.test`, `ours-${count}@aloft.test`]
    await as(other.token, `POST ${at}/invitations`, { email: theirs, role: 'OWNER' })
    const { body: kept } = await invite(ours)
    const link = await linkTo(theirs)
    const browser = createBrowser(server)
    const page = await browser.call(`GET ${link}`)

    const become = (role: string) => as(owner.token, `PATCH ${at}/members/${other.id}`, { role })
    assert.equal((await become('OWNER')).status, 200)
    assert.equal((await list()).length, 2)
    assert.equal((await become('MEMBER')).status, 200)
    assert.deepEqual(await list(), [kept])
    assert.equal((await browser.post('/invitation', hiddenIn(page.body))).status, 404)
    assert.equal((await browser.call(`GET ${link}`)).status, 404)
    assert.equal(await server.parts.stores.users.byEmail(theirs), undefined)
  })

  test('whoever was added otherwise, or removed, does not come back by an earlier invitation', async () => {
    const { owner, at, invite, list } = await createTeam()
    const bob = await server.signUp()
    await invite(bob.email, 'OWNER')
    const link = await linkTo(bob.email)
    const add = () =>
      server.call(`POST ${at}/members`, { token: owner.token, body: { email: bob.email, role: 'MEMBER' } })
    assert.equal((await add()).status, 200)
    assert.deepEqual(await list(), [])
    assert.equal((await server.call(`GET ${link}`)).status, 404)
    // One that an earlier version has left.
    const { id: teamId } = (await server.call(`GET ${at}`, { token: owner.token })).body
    const now = server.clock.now()
    await server.parts.stores.invitations.add(
      {
        ...{ id: `left-${count}`, teamId, email: bob.email, role: 'OWNER', inviterId: owner.id },
        ...{ createdAt: now, expiresAt: now + DAY },
      },
      `hash of left-${count}`,
    )
    assert.equal((await list()).length, 1)
    const removed = await server.call(`DELETE ${at}/members/${bob.id}`, { token: owner.token })
    assert.equal(removed.status, 200)
    assert.deepEqual(await list(), [])
  })

  test('nobody but an owner invites, sees or withdraws', async () => {
    const { at, invite } = await createTeam()
    const { body: made } = await invite(`somebody-${count}@aloft.test`)
    const member = await server.signUp()
    for (const [on, body] of [
      [`POST ${at}/invitations`, { email: 'x@aloft.test' }],
      [`GET ${at}/invitations`, undefined],
      [`DELETE ${at}/invitations/${made.id}`, undefined],
    ] as const)
      assert.equal((await server.call(on, { token: member.token, body })).status, 403)
  })
})

apiSuite(
  'mails of invitations',
  (server) => {
    test('whoever invites, removes and invites again does not fill somebody’s mailbox', async () => {
      const owner = await server.signUp()
      const victim = await server.signUp()
      const { body: team } = await server.call('POST /v1/teams', {
        token: owner.token,
        body: { slug: 'mail-bombs', name: 'Mail bombs' },
      })
      const at = `/v1/teams/${team.id}`
      const call = (on: string, body?: object) =>
        server.call(on, { token: owner.token, ...(body ? { body } : {}) })
      const email = 'bombed@aloft.test'
      const invited: number[] = []
      for (let n = 0; n < 8; n++) {
        const { status, body } = await call(`POST ${at}/invitations`, { email })
        invited.push(status)
        if (status === 200) await call(`DELETE ${at}/invitations/${body.id}`)
      }
      assert.deepEqual(invited, [200, 200, 200, 200, 200, 429, 429, 429])
      assert.equal((await server.mails(email)).length, 5)
      const before = (await server.mails(victim.email)).length
      const added: number[] = []
      for (let n = 0; n < 8; n++) {
        const { status } = await call(`POST ${at}/members`, { email: victim.email.toUpperCase() })
        added.push(status)
        await call(`DELETE ${at}/members/${victim.id}`)
      }
      assert.deepEqual(added, [200, 200, 200, 200, 200, 429, 429, 429])
      assert.equal((await server.mails(victim.email)).length - before, 5)
      assert.equal((await call(`POST ${at}/invitations`, { email: 'other@aloft.test' })).status, 200)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '' } },
)
