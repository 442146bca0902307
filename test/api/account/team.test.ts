import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('teams', (server) => {
  for (const prefix of ['/v1', '']) {
    test(`${prefix}/teams: the creator is OWNER of a team that has its slug as name`, async () => {
      const owner = await server.signUp()
      const slug = `acme${prefix.length}`
      const made = await server.call(`POST ${prefix}/teams`, { token: owner.token, body: { slug } })
      assert.equal(made.status, 200)
      assert.deepEqual(Object.keys(made.body), ['id'])
      assert.match(made.body.id, /^team_[0-9A-Za-z]{24}$/)

      const team = await server.call(`GET ${prefix}/teams/${made.body.id}`, { token: owner.token })
      const { created, ...rest } = team.body
      assert.deepEqual(rest, {
        id: made.body.id,
        slug,
        name: slug,
        creatorId: owner.id,
        avatar: null,
        membersMayEditProduction: true,
      })
      assert.equal(new Date(created).toISOString(), created)

      const bySlug = await server.call(`GET ${prefix}/teams?slug=${slug}`, { token: owner.token })
      assert.deepEqual(bySlug.body, team.body)
      const list = await server.call(`GET ${prefix}/teams`, { token: owner.token })
      assert.deepEqual(list.body.teams, [team.body])
      assert.deepEqual(list.body.pagination, { count: 1, next: null, prev: null })

      const members = await server.call(`GET ${prefix}/teams/${made.body.id}/members`, { token: owner.token })
      assert.deepEqual(members.body, [
        { uid: owner.id, role: 'OWNER', email: owner.email, username: owner.username },
      ])
    })

    test(`${prefix}/teams: an invited user is a member at once and is mailed`, async () => {
      const [owner, guest] = [await server.signUp(), await server.signUp()]
      const { body: team } = await server.call('POST /v1/teams', {
        token: owner.token,
        body: { slug: `guests${prefix.length}`, name: 'Guests & Co' },
      })
      const path = `${prefix}/teams/${team.id}/members`
      const invited = await server.call(`POST ${path}`, {
        token: owner.token,
        body: { email: guest.email.toUpperCase() },
      })
      assert.equal(invited.status, 200)
      assert.deepEqual(invited.body, { uid: guest.id, username: guest.username })
      assert.match((await server.mails(guest.email)).at(-1)?.subject ?? '', /Guests & Co/)
      const before = (await server.mails(guest.email)).length

      const again = await server.call(`POST ${path}`, {
        token: owner.token,
        body: { email: guest.email, role: 'OWNER' },
      })
      assert.deepEqual(again.body, invited.body)
      assert.equal((await server.mails(guest.email)).length, before, 'a member is not mailed again')

      const seen = await server.call(`GET ${path}`, { token: guest.token })
      assert.deepEqual(
        seen.body.map((m: { uid: string; role: string }) => [m.uid, m.role]),
        [
          [owner.id, 'OWNER'],
          [guest.id, 'MEMBER'],
        ],
      )

      const member = `${path}/${guest.id}`
      const promoted = await server.call(`PATCH ${member}`, { token: owner.token, body: { role: 'OWNER' } })
      assert.deepEqual([promoted.status, promoted.body], [200, ''])
      const refused = await server.call(`DELETE ${member}`, { token: owner.token })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
      await server.call(`PATCH ${member}`, { token: owner.token, body: { role: 'MEMBER' } })
      const removed = await server.call(`DELETE ${member}`, { token: owner.token })
      assert.deepEqual([removed.status, removed.body], [200, { id: team.id }])
      assert.equal((await server.call(`GET ${path}`, { token: guest.token })).status, 403)
    })
  }

  test('an update changes slug or name and keeps the rest', async () => {
    const owner = await server.signUp()
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'before' },
    })
    const named = await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { name: 'After' },
    })
    assert.deepEqual(named.body, {
      id: team.id,
      slug: 'before',
      name: 'After',
      creator_id: owner.id,
      creatorId: owner.id,
    })
    const moved = await server.call(`PATCH /teams/${team.id}`, {
      token: owner.token,
      body: { slug: 'after' },
    })
    assert.equal(moved.body.slug, 'after')
    // The old slug is free again.
    assert.equal(
      (await server.call('POST /v1/teams', { token: owner.token, body: { slug: 'before' } })).status,
      200,
    )
    const same = await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { slug: 'after' },
    })
    assert.equal(same.status, 200, 'a team may be given the slug it has')
  })

  test('a team keeps at least one OWNER, also when two owners demote each other at once', async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', { token: a.token, body: { slug: 'duel' } })
    const last = await server.call(`PATCH /v1/teams/${team.id}/members/${a.id}`, {
      token: a.token,
      body: { role: 'MEMBER' },
    })
    assert.deepEqual([last.status, last.body.error.code], [400, 'last_owner'])
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: a.token,
      body: { email: b.email, role: 'OWNER' },
    })
    const both = await Promise.all([
      server.call(`PATCH /v1/teams/${team.id}/members/${b.id}`, { token: a.token, body: { role: 'MEMBER' } }),
      server.call(`PATCH /v1/teams/${team.id}/members/${a.id}`, { token: b.token, body: { role: 'MEMBER' } }),
    ])
    assert.equal(both.filter(({ status }) => status === 200).length, 1)
    const members = await server.call(`GET /v1/teams/${team.id}/members`, { token: a.token })
    assert.equal(members.body.filter((m: { role: string }) => m.role === 'OWNER').length, 1)
  })

  test('a slug is unique over teams and usernames, whoever asks', async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    await server.call('POST /v1/teams', { token: a.token, body: { slug: 'unique' } })
    for (const slug of ['unique', a.username]) {
      const taken = await server.call('POST /v1/teams', { token: b.token, body: { slug } })
      assert.deepEqual([taken.status, taken.body.error.code], [400, 'slug_taken'])
    }
    const { body: other } = await server.call('POST /v1/teams', {
      token: b.token,
      body: { slug: 'other-one' },
    })
    const moved = await server.call(`PATCH /v1/teams/${other.id}`, {
      token: b.token,
      body: { slug: 'unique', name: 'X' },
    })
    assert.equal(moved.body.error.code, 'slug_taken')
    assert.equal((await server.call(`GET /v1/teams/${other.id}`, { token: b.token })).body.name, 'other-one')
  })

  test('bad input is refused with the property named', async () => {
    const { token } = await server.signUp()
    const bad: [unknown, RegExp][] = [
      [{}, /`slug`/],
      [{ slug: 7 }, /`slug`/],
      [{ slug: '' }, /`slug`/],
      [{ slug: 'Upper' }, /`slug`/],
      [{ slug: '1st' }, /`slug`/],
      [{ slug: 'a'.repeat(49) }, /`slug`/],
      [{ slug: 'ok-then', name: 'a\nb' }, /`name`/],
      [[], /the request/],
      ['"text"', /the request/],
    ]
    for (const [body, message] of bad) {
      const answer = await server.call('POST /v1/teams', { token, body })
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'], JSON.stringify(body))
      assert.match(answer.body.error.message, /^Invalid request: /)
      assert.match(answer.body.error.message, message)
    }
  })

  test("strangers and plain members are refused what is an OWNER's", async () => {
    const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'walls' },
    })
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: member.email },
    })
    const writes: [string, unknown][] = [
      [`PATCH /v1/teams/${team.id}`, { name: 'Mine' }],
      [`POST /v1/teams/${team.id}/members`, { email: stranger.email }],
      [`PATCH /v1/teams/${team.id}/members/${owner.id}`, { role: 'MEMBER' }],
      [`DELETE /v1/teams/${team.id}/members/${member.id}`, undefined],
    ]
    for (const { token } of [member, stranger])
      for (const [on, body] of writes) {
        const answer = await server.call(on, { token, body })
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], on)
      }
    for (const on of [
      `GET /v1/teams/${team.id}`,
      `GET /v1/teams?slug=walls`,
      `GET /v1/teams/${team.id}/members`,
    ])
      assert.equal((await server.call(on, { token: stranger.token })).status, 403)
    assert.deepEqual((await server.call('GET /v1/teams', { token: stranger.token })).body.teams, [])
  })

  test('unknown members and addresses have their own codes', async () => {
    const owner = await server.signUp()
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'codes' },
    })
    const missing = await server.call(`PATCH /v1/teams/${team.id}/members/nobody`, {
      token: owner.token,
      body: { role: 'OWNER' },
    })
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'member_not_found'])
    const unknown = await server.call(`POST /teams/${team.id}/members`, {
      token: owner.token,
      body: { email: 'nobody@aloft.test' },
    })
    assert.deepEqual([unknown.status, unknown.body.error.code], [400, 'user_not_found'])
    assert.equal(unknown.body.error.url, 'http://aloft.test/errors/teams/user_not_found')
    const malformed = await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: 'x' },
    })
    assert.equal(malformed.body.error.code, 'invalid_email')
  })

  test('lists page by time, without losing or repeating a team', async () => {
    const { token } = await server.signUp()
    for (let i = 0; i < 7; i++) await server.call('POST /v1/teams', { token, body: { slug: `page${i}` } })
    const seen: string[] = []
    let until = ''
    for (;;) {
      const { body } = await server.call(`GET /v1/teams?limit=3${until}`, { token })
      seen.push(...body.teams.map((team: { slug: string }) => team.slug))
      if (body.pagination.next === null) break
      until = `&until=${body.pagination.next}`
    }
    assert.deepEqual([...seen].sort(), ['page0', 'page1', 'page2', 'page3', 'page4', 'page5', 'page6'])
    for (const limit of ['0', '101', 'x', '1.5'])
      assert.equal((await server.call(`GET /v1/teams?limit=${limit}`, { token })).status, 400)
  })
})
