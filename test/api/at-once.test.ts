import assert from 'node:assert/strict'
import { generateKeyPairSync, hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { QUOTA_NAMES } from '#contract/limit/quotas.ts'
import { MINUTE } from '#contract/time.ts'
import type { MachineReport } from '#core/machine/machine.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'
import { type Gate, openGate } from '#test/support/database/gate.ts'
import { consent, exchange, form, install, registerApplication } from '#test/support/integrations.ts'
import {
  sampleApp,
  sampleConnection,
  sampleDomain,
  sampleDrain,
  sampleSession,
  sampleSshKey,
} from '#test/support/samples.ts'
import type { Account, Answer } from '#test/support/server.ts'
import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'

/** How many do something at the same moment. */
const MANY = 6

type Call = () => Promise<Answer>
/** A call with every answer that is right, whoever else came first. */
type Choice = readonly [Call, ...string[]]
type Left = () => Promise<unknown>

const many = <T>(make: (n: number) => T): readonly T[] => Array.from({ length: MANY }, (_, n) => make(n))
/** One of them is answered this, and all others that. */
const one = (done: string, others: string, of = MANY) => ({ [done]: 1, [others]: of - 1 })
const all = (done: string) => ({ [done]: MANY })

const said = ({ status, body }: Answer): string =>
  body?.error?.code === undefined ? String(status) : `${status} ${body.error.code}`

function counted(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[said(answer)] = (counts[said(answer)] ?? 0) + 1
  return counts
}

const PLAIN = { key: 'A', value: '1', type: 'plain', target: ['production'] }
/** An SSH key as people paste it. */
function newPublicKey(): string {
  const raw = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const parts = [Buffer.from('ssh-ed25519'), raw].flatMap((part) => [
    Buffer.from([0, 0, 0, part.length]),
    part,
  ])
  return `ssh-ed25519 ${Buffer.concat(parts).toString('base64')}`
}

const MACHINE: MachineReport = {
  role: 'work',
  ...{ name: 'lost', version: '1', origin: 'iad1', address: '10.0.0.9:3500', load: 0 },
  ...{ memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 1, publicAddresses: [] },
}

const STAGES = [{ targetPercentage: 50, duration: 10 }, { targetPercentage: 100 }]

/**
 * Requests that want the same, or opposite things, at the same moment. Whatever the database and however many processes there
 * are, each is answered as if they had come one after the other.
 */
apiSuite('at once', (server) =>
  describe('requests', () => {
    let gate: Gate
    let me: Account
    /** Of somebody who has `site`, a project with a deployment, and `apex`, a domain. */
    let site: string
    let deployment: string
    let apex: string
    let names = 0
    before(async () => {
      gate = await openGate(server.databaseUrl)
      me = await server.signUp()
      apex = await domain()
      const made = await deploy(fresh(), 'first')
      site = made.name
      deployment = made.id
    })
    after(() => gate?.close())

    const fresh = () => `once-${++names}`
    const call = (on: string, body?: unknown, token = me.token): Promise<Answer> =>
      server.call(on, { token, ...(body === undefined ? {} : { body }) })
    const must = async (on: string, body?: unknown, token?: string): Promise<Answer['body']> => {
      const answer = await call(on, body, token)
      assert.ok(answer.status < 300, `${on}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    /** How many of a list that is read are meant. */
    const count =
      (
        on: string,
        list: string,
        isMeant: (item: Answer['body']) => boolean = () => true,
        token?: string,
      ): Left =>
      async () => {
        const body = await must(on, undefined, token)
        return (list === '' ? body : body[list]).filter(isMeant).length
      }
    const statusOf =
      (on: string): Left =>
      async () =>
        (await call(on)).status

    const project = async (): Promise<string> => (await must('POST /v10/projects', { name: fresh() })).name
    const projects = async () => {
      const made: string[] = []
      for (let n = 0; n < MANY; n++) made.push(await project())
      return made
    }
    const filesOf = (data: string) => ({ version: 2, files: [{ file: 'index.html', data }] })
    const deploy = (name: string, text: string, more: object = {}): Promise<Answer['body']> =>
      must('POST /v8/platform/deployments?forceNew=1', { name, ...filesOf(text), ...more })
    const building = async (): Promise<string> => {
      const files = [{ file: 'package.json', data: '{"scripts":{"build":"true"}}' }]
      return (await must('POST /v8/platform/deployments', { name: fresh(), version: 2, files })).id
    }
    async function domain(): Promise<string> {
      const given = { name: `${fresh()}.example`, ownerId: me.id, creatorId: me.id, txtVerifiedAt: 1 }
      await server.parts.stores.domains.add(sampleDomain(given))
      return given.name
    }
    const team = async (): Promise<string> => (await must('POST /v1/teams', { slug: fresh() })).id
    const application = (owner: Account) => registerApplication(server, owner.token, { name: fresh() })
    const linkIn = async (email: string, pattern: RegExp): Promise<string> =>
      (await server.mails(email)).flatMap(({ text }) => pattern.exec(text ?? '') ?? []).at(-1) ?? ''

    /** What each is to be answered, and then what is left, where they all want the same. */
    function same(
      name: string,
      expected: { readonly answers: Readonly<Record<string, number>>; readonly left?: unknown },
      begin: () => Promise<readonly [calls: Call | readonly Call[], left?: Left]>,
    ): void {
      test(name, async () => {
        const [calls, left] = await begin()
        const answers = await gate.through(typeof calls === 'function' ? many(() => calls) : calls)
        assert.deepEqual(counted(answers), expected.answers, JSON.stringify(answers.map(({ body }) => body)))
        if (left) assert.deepEqual(await left(), expected.left)
      })
    }

    /** The same where the order decides, which nobody knows. */
    function either(
      name: string,
      expected: { readonly left?: unknown },
      begin: () => Promise<readonly [calls: readonly Choice[], left?: Left]>,
    ): void {
      test(name, async () => {
        const [calls, left] = await begin()
        const answers = await gate.through(calls.map(([each]) => each))
        for (const [n, answer] of answers.entries())
          assert.ok(
            calls[n]?.slice(1).includes(said(answer)),
            `${n}: ${said(answer)} ${JSON.stringify(answer.body)}`,
          )
        if (left) assert.deepEqual(await left(), expected.left)
      })
    }
    /** One does this, all others that. */
    const against = (first: Choice, make: (n: number) => Choice): readonly Choice[] =>
      many((n) => (n === 0 ? first : make(n)))

    describe('for projects', () => {
      const named = (name: string) => count(`GET /v9/projects?search=${name}`, 'projects')

      same('create one', { answers: one('200', '409 conflict'), left: 1 }, async () => {
        const name = fresh()
        return [() => call('POST /v10/projects', { name }), named(name)]
      })
      same('ensure one', { answers: all('200'), left: 1 }, async () => {
        const name = fresh()
        return [() => call('POST /v1/projects/ensure-project', { name }), named(name)]
      })
      same('rename one', { answers: one('200', '404 not_found'), left: 1 }, async () => {
        const [before, name] = [await project(), fresh()]
        return [() => call(`PATCH /v9/projects/${before}`, { name }), named(name)]
      })
      same('rename several to one name', { answers: one('200', '409 conflict'), left: 1 }, async () => {
        const [before, name] = [await projects(), fresh()]
        return [before.map((each) => () => call(`PATCH /v9/projects/${each}`, { name })), named(name)]
      })
      same(
        'change one in different ways',
        { answers: all('200'), left: ['b', 'i', 'o', 'd', true, true] },
        async () => {
          const changes = { buildCommand: 'b', installCommand: 'i', outputDirectory: 'o', devCommand: 'd' }
          const others = { publicSource: true, directoryListing: true }
          const name = await project()
          return [
            Object.entries({ ...changes, ...others }).map(
              ([key, value]) =>
                () =>
                  call(`PATCH /v9/projects/${name}`, { [key]: value }),
            ),
            async () => {
              const shown = await must(`GET /v9/projects/${name}`)
              return Object.keys({ ...changes, ...others }).map((key) => shown[key])
            },
          ]
        },
      )
      same('delete one', { answers: one('204', '404 not_found'), left: 0 }, async () => {
        const name = await project()
        return [() => call(`DELETE /v9/projects/${name}`), named(name)]
      })
      either('delete one and add to it', { left: [404, 200] }, async () => {
        const name = await project()
        const add = (path: string, body: object, done = '200'): Choice => [
          () => call(`POST ${path.replace(':name', name)}`, body),
          ...[done, '404 not_found', '409 conflict'],
        ]
        return [
          [
            [() => call(`DELETE /v9/projects/${name}`), '204'],
            add('/v10/projects/:name/domains', { name: `${name}.${apex}` }),
            add('/v10/projects/:name/env', PLAIN, '201'),
            add('/v9/projects/:name/custom-environments', { slug: 'qa' }, '201'),
            add('/v2/projects/:name/deploy-hooks', { name: 'h', ref: 'main' }, '201'),
            add('/v1/projects/:name/crons', { path: '/x', schedule: '0 0 1 1 *' }),
            add('/projects/:name/transfer-request', {}),
          ],
          async () => {
            const again = await call(`POST /v10/projects/${site}/domains`, { name: `${name}.${apex}` })
            return [(await call(`GET /v9/projects/${name}`)).status, again.status]
          },
        ]
      })
      either('delete one and deploy it', {}, async () => {
        const name = await project()
        return [
          against([() => call(`DELETE /v9/projects/${name}`), '204'], (n) => [
            () => call('POST /v8/platform/deployments', { name, ...filesOf(`x${n}`) }),
            '200',
          ]),
        ]
      })
      same('make secrets for programs', { answers: all('200'), left: MANY }, async () => {
        const name = await project()
        return [
          () => call(`PATCH /v1/projects/${name}/protection-bypass`, { generate: {} }),
          async () => Object.keys((await must(`GET /v9/projects/${name}`)).protectionBypass).length,
        ]
      })
      same('revoke a secret for programs', { answers: one('200', '404 not_found') }, async () => {
        const name = await project()
        const at = `PATCH /v1/projects/${name}/protection-bypass`
        await must(at, { generate: {} })
        const [secret] = Object.keys((await must(`GET /v9/projects/${name}`)).protectionBypass)
        return [() => call(at, { revoke: { secret, regenerate: false } })]
      })
      same('pause one', { answers: all('200'), left: true }, async () => {
        const name = await project()
        return [
          () => call(`POST /v1/projects/${name}/pause`),
          async () => (await must(`GET /v9/projects/${name}`)).paused,
        ]
      })
    })

    describe('for transfers', () => {
      const offer = async (name: string): Promise<string> =>
        (await must(`POST /projects/${name}/transfer-request`)).code
      const accept = (code: string, { token }: Account) =>
        call(`PUT /projects/transfer-request/${code}`, {}, token)
      const has = ({ token }: Account) => count('GET /v9/projects', 'projects', undefined, token)

      same('accept one', { answers: one('202', '404 not_found'), left: 1 }, async () => {
        const [code, other] = [await offer(await project()), await server.signUp()]
        return [() => accept(code, other), has(other)]
      })
      same('accept one for several accounts', { answers: one('202', '404 not_found', 3) }, async () => {
        const code = await offer(await project())
        const others = [await server.signUp(), await server.signUp(), await server.signUp()]
        return [others.map((other) => () => accept(code, other))]
      })
      same('cancel one', { answers: one('204', '404 not_found') }, async () => {
        const name = await project()
        await offer(name)
        return [() => call(`DELETE /projects/${name}/transfer-request`)]
      })
      for (const [what, on] of [
        ['cancel', 'DELETE'],
        ['renew', 'POST'],
      ])
        test(`accept and ${what} one`, async () => {
          const [name, other] = [await project(), await server.signUp()]
          const code = await offer(name)
          const [accepted, changed] = (
            await gate.through([
              () => accept(code, other),
              () => call(`${on} /projects/${name}/transfer-request`),
            ])
          ).map(({ status }) => status)
          const done = on === 'POST' ? 200 : 204
          assert.deepEqual([accepted, changed], accepted === 202 ? [202, 404] : [404, done])
          assert.equal(await has(other)(), accepted === 202 ? 1 : 0)
        })
    })

    describe('for variables and secrets', () => {
      const variables = (name: string) => count(`GET /v9/projects/${name}/env`, 'envs')
      const add = (name: string, more: object = {}) =>
        call(`POST /v10/projects/${name}/env`, { ...PLAIN, ...more })
      const added = async (name: string, more: object = {}): Promise<string> =>
        (await add(name, more)).body.created.id

      same('create a variable', { answers: one('201', '403 ENV_ALREADY_EXISTS'), left: 1 }, async () => {
        const name = await project()
        return [() => add(name), variables(name)]
      })
      same('create or change a variable', { answers: all('201'), left: 1 }, async () => {
        const name = await project()
        return [() => call(`POST /v10/projects/${name}/env?upsert=true`, PLAIN), variables(name)]
      })
      same(
        'create variables of which each two share a target',
        { answers: one('201', '403 ENV_ALREADY_EXISTS'), left: 1 },
        async () => {
          const name = await project()
          const targets = [
            ['production', 'preview'],
            ['preview', 'development'],
          ]
          return [many((n) => () => add(name, { target: targets[n % 2] })), variables(name)]
        },
      )
      same(
        'rename several variables to one name',
        { answers: one('200', '403 ENV_ALREADY_EXISTS') },
        async () => {
          const name = await project()
          const ids: string[] = []
          for (let n = 0; n < MANY; n++) ids.push(await added(name, { key: `A${n}` }))
          return [ids.map((id) => () => call(`PATCH /v9/projects/${name}/env/${id}`, { key: 'SAME' }))]
        },
      )
      same(
        'change a variable in different ways',
        { answers: all('200'), left: ['2', ['preview']] },
        async () => {
          const name = await project()
          const id = await added(name)
          const changes = [{ value: '2' }, { target: ['preview'] }]
          return [
            many((n) => () => call(`PATCH /v9/projects/${name}/env/${id}`, changes[n % 2])),
            async () => {
              const [{ value, target }] = (await must(`GET /v9/projects/${name}/env`)).envs
              return [value, target]
            },
          ]
        },
      )
      same('delete a variable', { answers: one('200', '404 not_found'), left: 0 }, async () => {
        const name = await project()
        const id = await added(name)
        return [() => call(`DELETE /v9/projects/${name}/env/${id}`), variables(name)]
      })
      either('delete and change a variable', { left: 0 }, async () => {
        const name = await project()
        const at = `/v9/projects/${name}/env/${await added(name)}`
        return [
          against([() => call(`DELETE ${at}`), '200'], (n) => [
            () => call(`PATCH ${at}`, { value: `${n}` }),
            ...['200', '404 not_found'],
          ]),
          variables(name),
        ]
      })
      same('create a secret', { answers: one('200', '409 secret_already_exists'), left: 1 }, async () => {
        const name = fresh()
        return [
          () => call('POST /v2/platform/secrets', { name, value: 'v' }),
          count('GET /v2/platform/secrets?limit=100', 'secrets', (secret) => secret.name === name),
        ]
      })
      const secret = async (): Promise<string> =>
        (await must('POST /v2/platform/secrets', { name: fresh(), value: 'v' })).name
      same('rename a secret', { answers: one('200', '404 not_found') }, async () => {
        const [before, name] = [await secret(), fresh()]
        return [() => call(`PATCH /v2/platform/secrets/${before}`, { name })]
      })
      same(
        'rename several secrets to one name',
        { answers: one('200', '409 secret_already_exists') },
        async () => {
          const name = fresh()
          const before: string[] = []
          for (let n = 0; n < MANY; n++) before.push(await secret())
          return [before.map((each) => () => call(`PATCH /v2/platform/secrets/${each}`, { name }))]
        },
      )
      same('delete a secret', { answers: one('200', '404 not_found') }, async () => {
        const name = await secret()
        return [() => call(`DELETE /v2/platform/secrets/${name}`)]
      })
    })

    describe('for teams', () => {
      const slugged = (slug: string) =>
        count('GET /v1/teams?limit=100', 'teams', (each) => each.slug === slug)
      const owners = (id: string) => count(`GET /v1/teams/${id}/members`, '', ({ role }) => role === 'OWNER')
      const members = (id: string) => count(`GET /v1/teams/${id}/members`, '')
      const added = async (role = 'MEMBER') => {
        const [id, other] = [await team(), await server.signUp()]
        await must(`POST /v1/teams/${id}/members`, { email: other.email, role })
        return { id, other }
      }
      const demote =
        (id: string, userId: string, token = me.token) =>
        () =>
          call(`PATCH /v1/teams/${id}/members/${userId}`, { role: 'MEMBER' }, token)

      same('create one', { answers: one('200', '400 slug_taken'), left: 1 }, async () => {
        const slug = fresh()
        return [() => call('POST /v1/teams', { slug }), slugged(slug)]
      })
      same('rename several to one slug', { answers: one('200', '400 slug_taken', 3), left: 1 }, async () => {
        const [ids, slug] = [[await team(), await team(), await team()], fresh()]
        return [ids.map((id) => () => call(`PATCH /v1/teams/${id}`, { slug })), slugged(slug)]
      })
      same('add a member', { answers: all('200'), left: [2, 1] }, async () => {
        const [id, { email }] = [await team(), await server.signUp()]
        return [
          () => call(`POST /v1/teams/${id}/members`, { email }),
          async () => [await members(id)(), (await server.mails(email)).length],
        ]
      })
      same('remove a member', { answers: one('200', '404 member_not_found'), left: 1 }, async () => {
        const { id, other } = await added()
        return [() => call(`DELETE /v1/teams/${id}/members/${other.id}`), members(id)]
      })
      same(
        'have two owners demote each other',
        { answers: { 200: 1, '403 forbidden': 1 }, left: 1 },
        async () => {
          const { id, other } = await added('OWNER')
          return [[demote(id, other.id), demote(id, me.id, other.token)], owners(id)]
        },
      )
      same('have two owners step back', { answers: { 200: 1, '400 last_owner': 1 }, left: 1 }, async () => {
        const { id, other } = await added('OWNER')
        return [[demote(id, me.id), demote(id, other.id, other.token)], owners(id)]
      })

      const invited = async () => {
        const [id, email] = [await team(), `${fresh()}@aloft.test`]
        const { id: invitation } = await must(`POST /v1/teams/${id}/invitations`, { email })
        const page = await createBrowser(server).call(`GET ${await linkIn(email, /\/invitation\?token=\w+/)}`)
        const hidden = hiddenIn(page.body)
        return {
          id,
          accept: () => createBrowser(server).post('/invitation', hidden),
          withdraw: () => call(`DELETE /v1/teams/${id}/invitations/${invitation}`),
        }
      }
      same('invite somebody', { answers: one('200', '409 conflict'), left: 1 }, async () => {
        const [id, email] = [await team(), `${fresh()}@aloft.test`]
        return [
          () => call(`POST /v1/teams/${id}/invitations`, { email }),
          async () => (await server.mails(email)).length,
        ]
      })
      same('accept an invitation', { answers: one('303', '404'), left: 2 }, async () => {
        const { id, accept } = await invited()
        return [accept, members(id)]
      })
      same('withdraw an invitation', { answers: one('200', '404 not_found') }, async () => [
        (await invited()).withdraw,
      ])
      test('accept and withdraw an invitation', async () => {
        const { id, accept, withdraw } = await invited()
        const [accepted, withdrawn] = (await gate.through([accept, withdraw])).map(({ status }) => status)
        assert.deepEqual([accepted, withdrawn], accepted === 303 ? [303, 404] : [404, 200])
        assert.equal(await members(id)(), accepted === 303 ? 2 : 1)
      })
    })

    describe('for people', () => {
      const ask = async (email: string) => {
        const { body } = await server.call('POST /platform/registration', { body: { email, tokenName: 'x' } })
        return { token: body.token as string, link: await linkIn(email, /\/login\/accept\?token=\w+/) }
      }
      same('accept logins of an address without account', { answers: all('200') }, async () => {
        const email = `${fresh()}@aloft.test`
        const links = [(await ask(email)).link, (await ask(email)).link, (await ask(email)).link]
        return [[...links, ...links].map((link) => () => server.call(`POST ${link}`))]
      })
      same('make accounts that would have one name', { answers: { 200: 3 } }, async () => {
        const local = fresh()
        const links: string[] = []
        for (const host of ['a', 'b', 'c']) links.push((await ask(`${local}@${host}.test`)).link)
        return [links.map((link) => () => server.call(`POST ${link}`))]
      })
      same('fetch a token', { answers: one('200', '404 not_found') }, async () => {
        const email = `${fresh()}@aloft.test`
        const { token, link } = await ask(email)
        await server.call(`POST ${link}`)
        const path = `/platform/registration/verify?email=${email}&token=${token}`
        return [() => server.call(`GET ${path}`)]
      })
      same('approve a login', { answers: one('200', '404') }, async () => {
        const browser = createBrowser(server)
        const email = `${fresh()}@aloft.test`
        await browser.signIn(email)
        await ask(email)
        const { id = '', csrf = '' } = hiddenIn((await browser.call('GET /login/approve')).body)
        return [() => browser.post('/login/approve', { id, csrf })]
      })
      same('delete a token', { answers: one('200', '404 not_found') }, async () => {
        const { token } = await must('POST /v3/user/tokens', { name: 'gone' })
        return [() => call(`DELETE /v3/user/tokens/${token.id}`)]
      })
      same('end a session', { answers: one('200', '404 not_found') }, async () => {
        const session = sampleSession({ userId: me.id, expiresAt: server.clock.now() + 1000 })
        await server.parts.stores.sessions.insert(session, fresh())
        return [() => call(`DELETE /v1/user/sessions/${session.id}`)]
      })
      same('add an SSH key', { answers: one('201', '409 conflict'), left: 1 }, async () => {
        const body = { publicKey: newPublicKey() }
        return [() => call('POST /v1/user/ssh-keys', body), count('GET /v1/user/ssh-keys', 'keys')]
      })
      same('add an SSH key for several people', { answers: one('201', '409 conflict', 3) }, async () => {
        const people = [await server.signUp(), await server.signUp(), await server.signUp()]
        const body = { publicKey: newPublicKey() }
        return [
          people.map(
            ({ token }) =>
              () =>
                call('POST /v1/user/ssh-keys', body, token),
          ),
        ]
      })
      same('delete an SSH key', { answers: one('200', '404 not_found') }, async () => {
        const key = sampleSshKey({ userId: me.id })
        await server.parts.stores.sshKeys.add(key)
        return [() => call(`DELETE /v1/user/ssh-keys/${key.id}`)]
      })
    })

    describe('for deployments', () => {
      // Which are those of the first of them; the others find a project that has its own.
      same(
        'make the first of a project with different settings',
        { answers: all('200'), left: 1 },
        async () => {
          const name = fresh()
          const given = ['a', 'b'].map((folder) => ({ file: `${folder}/index.html`, data: folder }))
          await must('POST /v8/platform/deployments', { name: fresh(), version: 2, files: given })
          // None of them has to write anything before it looks for the project.
          const files = given.map(({ file, data }) => ({ file, sha: hash('sha1', data), size: data.length }))
          const urls: string[] = []
          const make = async (rootDirectory: string | undefined) => {
            const body = { name, version: 2, files, projectSettings: { rootDirectory } }
            const answer = await call('POST /v8/platform/deployments?forceNew=1', body)
            urls.push(answer.body.url)
            return answer
          }
          return [
            many((n) => () => make(['a', 'b'][n % 2])),
            async () =>
              new Set(await Promise.all(urls.map(async (url) => (await server.visit(url, '/')).body))).size,
          ]
        },
      )
      same('make the same one', { answers: all('200'), left: 1 }, async () => {
        const name = fresh()
        return [
          () => call('POST /v8/platform/deployments', { name, ...filesOf('same') }),
          count(`GET /v3/platform/deployments?app=${name}`, 'deployments'),
        ]
      })
      test('two of one project, the first where the clock is ahead: the second is the newer one', async () => {
        const { name, projectId } = await deploy(fresh(), 'before')
        const begin = async (text: string, ahead: number) => {
          server.clock.jump(ahead)
          return deploy(name, text)
        }
        const both = [() => begin('first', MINUTE), () => begin('second', -MINUTE)] as const
        // With one writer at a time, neither has looked before the other has written.
        const [first, second] =
          server.databaseUrl === undefined
            ? [await both[0](), await both[1]()]
            : await gate.inLine(`select 1 from projects where id = '${projectId}' for update`, both)
        assert.ok(second.createdAt > first.createdAt)
      })
      same('delete one', { answers: one('200', '404 not_found') }, async () => {
        const { id } = await deploy(site, 'x')
        return [() => call(`DELETE /v8/platform/deployments/${id}`)]
      })
      either('delete one and redeploy it', {}, async () => {
        const { id } = await deploy(site, 'x')
        return [
          against([() => call(`DELETE /v8/platform/deployments/${id}`), '200'], () => [
            () => call(`POST /v1/deployments/${id}/redeploy`, {}),
            ...['200', '404 not_found'],
          ]),
        ]
      })
      const stateOf = (id: string) => async () => {
        const { readyState, errorCode } = await must(`GET /v8/platform/deployments/${id}`)
        return [readyState, errorCode]
      }
      same(
        'cancel a build',
        { answers: one('200', '409 conflict'), left: ['ERROR', 'canceled'] },
        async () => {
          const id = await building()
          return [() => call(`PATCH /v12/deployments/${id}/cancel`), stateOf(id)]
        },
      )
      either('cancel and delete a build', { left: 404 }, async () => {
        const id = await building()
        return [
          against([() => call(`DELETE /v8/platform/deployments/${id}`), '200'], () => [
            () => call(`PATCH /v12/deployments/${id}/cancel`),
            ...['200', '404 not_found', '409 conflict'],
          ]),
          statusOf(`GET /v8/platform/deployments/${id}`),
        ]
      })
      test('cancel a build that ends', async () => {
        const id = await building()
        const [canceled] = await gate.through<Answer | undefined>([
          () => call(`PATCH /v12/deployments/${id}/cancel`),
          async () => void (await server.runJobs()),
        ])
        const isCanceled = canceled?.status === 200
        if (!isCanceled) assert.equal(canceled?.status, 409)
        assert.deepEqual(await stateOf(id)(), ['ERROR', isCanceled ? 'canceled' : 'no_builder'])
      })
    })

    describe('for aliases', () => {
      const point = (id: string, alias: string, token?: string) =>
        call(`POST /v2/platform/deployments/${id}/aliases`, { alias }, token)
      const pointed = async (): Promise<string> => {
        const alias = fresh()
        assert.equal((await point(deployment, alias)).status, 200)
        return `${alias}.localhost`
      }

      same('create one', { answers: one('200', '409 not_modified'), left: 200 }, async () => {
        const alias = fresh()
        return [() => point(deployment, alias), statusOf(`GET /v2/platform/aliases/${alias}.localhost`)]
      })
      same('create one for several accounts', { answers: one('200', '403 alias_in_use', 3) }, async () => {
        const alias = fresh()
        const calls: Call[] = []
        for (let n = 0; n < 3; n++) {
          const { token } = await server.signUp()
          const body = { name: 'x', ...filesOf('x') }
          const { id } = await must('POST /v8/platform/deployments', body, token)
          calls.push(() => point(id, alias, token))
        }
        return [calls]
      })
      same('remove one', { answers: one('200', '404 not_found'), left: 404 }, async () => {
        const alias = await pointed()
        return [
          () => call(`DELETE /v2/platform/aliases/${alias}`),
          statusOf(`GET /v2/platform/aliases/${alias}`),
        ]
      })
      same('move and remove one', { answers: { 200: 2 } }, async () => {
        const [alias, { id }] = [await pointed(), await deploy(site, 'x')]
        return [[() => call(`DELETE /v2/platform/aliases/${alias}`), () => point(id, alias)]]
      })
      either('point some to a deployment that is deleted', { left: 0 }, async () => {
        const [{ id }, alias] = [await deploy(site, 'x'), fresh()]
        return [
          against([() => call(`DELETE /v8/platform/deployments/${id}`), '200'], (n) => [
            () => point(id, `${alias}-${n}`),
            ...['200', '410 gone'],
          ]),
          count('GET /v2/platform/aliases?limit=100', 'aliases', (each) => each.alias.startsWith(alias)),
        ]
      })
    })

    describe('for production', () => {
      const live = async () => {
        const name = fresh()
        const { id } = await deploy(name, 'old', { target: 'production' })
        server.clock.advance(1000)
        return {
          name,
          id: id as string,
          shown: async () => (await server.visit(`${name}.localhost`, '/')).body,
        }
      }
      same('promote one', { answers: all('202'), left: 'new' }, async () => {
        const { name, shown } = await live()
        const { id } = await deploy(name, 'new')
        return [() => call(`POST /v10/projects/${name}/promote/${id}`), shown]
      })
      test('promote several', async () => {
        const { name, shown } = await live()
        const ids: string[] = []
        for (const n of [0, 1, 2]) ids.push((await deploy(name, `new${n}`)).id)
        const answers = await gate.through(
          ids.map((id) => () => call(`POST /v10/projects/${name}/promote/${id}`)),
        )
        assert.deepEqual(counted(answers), { 202: 3 })
        const { lastAliasRequest } = await must(`GET /v9/projects/${name}`)
        assert.equal(await shown(), `new${ids.indexOf(lastAliasRequest.toDeploymentId)}`)
      })
      same('roll back', { answers: all('201'), left: 'old' }, async () => {
        const { name, id, shown } = await live()
        await deploy(name, 'new', { target: 'production' })
        return [() => call(`POST /v9/projects/${name}/rollback/${id}`), shown]
      })
      either('promote one that is deleted', {}, async () => {
        const { name } = await live()
        const { id } = await deploy(name, 'new')
        return [
          [
            [() => call(`DELETE /v8/platform/deployments/${id}`), '200'],
            [() => call(`POST /v10/projects/${name}/promote/${id}`), '202', '404 deployment_not_found'],
          ],
        ]
      })

      const released = async () => {
        const { name } = await live()
        await must(`PATCH /v1/projects/${name}/rolling-release/config`, { stages: STAGES })
        const { id } = await deploy(name, 'new', { target: 'production' })
        return (on: string, more: object = {}) =>
          call(`POST /v1/projects/${name}/rolling-release/${on}`, { canaryDeploymentId: id, ...more })
      }
      same('approve a stage of a release', { answers: one('200', '409 conflict') }, async () => {
        const end = await released()
        return [() => end('approve-stage', { nextStageIndex: 1 })]
      })
      same('complete and abort a release', { answers: one('200', '409 conflict') }, async () => {
        const end = await released()
        return [many((n) => () => end(n % 2 === 0 ? 'complete' : 'abort'))]
      })
    })

    describe('for domains', () => {
      const owns = (name: string) =>
        count('GET /v4/domains?limit=100', 'domains', (each) => each.name === name)
      const add = (name: string, body: object) => call(`POST /v2/domains/${name}/records`, body)
      const A = { name: 'x', type: 'A', value: '192.0.2.1' }
      const recordsAt = (name: string) =>
        count(`GET /v2/domains/${name}/records`, 'records', (each) => each.name === 'x')
      const record = async (name: string, value = A.value): Promise<string> =>
        (await add(name, { ...A, value })).body.uid

      same('add one', { answers: all('200'), left: 1 }, async () => {
        const name = `${fresh()}.com`
        return [() => call('POST /v4/domains', { name }), owns(name)]
      })
      // Who comes while it is being bought goes on with that; who comes later is told that it cannot be bought.
      either('buy one', { left: 1 }, async () => {
        const name = `${fresh()}.com`
        const buy = () => call('POST /v4/domains/buy', { name, expectedPrice: 12 })
        return [many(() => [buy, '200', '403 not_available'] as const), owns(name)]
      })
      same('buy one for several accounts', { answers: one('200', '403 not_available', 3) }, async () => {
        const body = { name: `${fresh()}.com`, expectedPrice: 12 }
        const people = [await server.signUp(), await server.signUp(), await server.signUp()]
        return [
          people.map(
            ({ token }) =>
              () =>
                call('POST /v4/domains/buy', body, token),
          ),
        ]
      })
      same('delete one', { answers: one('200', '404 not_found'), left: 0 }, async () => {
        const name = await domain()
        return [() => call(`DELETE /v4/domains/${name}`), owns(name)]
      })
      either('delete one and add records to it', { left: 0 }, async () => {
        const name = await domain()
        return [
          against([() => call(`DELETE /v4/domains/${name}`), '200'], (n) => [
            () => add(name, { ...A, value: `192.0.2.${n}` }),
            ...['200', '404 not_found'],
          ]),
          owns(name),
        ]
      })
      same('add a record', { answers: one('200', '409 record_conflict'), left: 1 }, async () => {
        const name = await domain()
        return [() => add(name, A), recordsAt(name)]
      })
      test('add records of which only one kind may be there', async () => {
        const name = await domain()
        const kinds = [A, { name: 'x', type: 'CNAME', value: 'y.example.' }]
        await gate.through(many((n) => () => add(name, kinds[n % 2] ?? A)))
        assert.equal(await recordsAt(name)(), 1)
      })
      same(
        'change several records to one value',
        { answers: one('200', '409 record_conflict', 3) },
        async () => {
          const name = await domain()
          const ids: string[] = []
          for (const n of [7, 8, 9]) ids.push(await record(name, `192.0.2.${n}`))
          return [ids.map((id) => () => call(`PATCH /v2/domains/records/${id}`, { value: A.value }))]
        },
      )
      same('change a record in different ways', { answers: all('200'), left: 1 }, async () => {
        const name = await domain()
        const id = await record(name)
        const changes = [{ value: '192.0.2.2' }, { name: 'y' }]
        return [
          many((n) => () => call(`PATCH /v2/domains/records/${id}`, changes[n % 2])),
          count(
            `GET /v2/domains/${name}/records`,
            'records',
            (each) => each.name === 'y' && each.value === '192.0.2.2',
          ),
        ]
      })
      same('delete a record', { answers: one('200', '404 not_found') }, async () => {
        const name = await domain()
        const id = await record(name)
        return [() => call(`DELETE /v2/domains/${name}/records/${id}`)]
      })
      either('delete and change a record', { left: 0 }, async () => {
        const name = await domain()
        const id = await record(name)
        return [
          against([() => call(`DELETE /v2/domains/${name}/records/${id}`), '200'], (n) => [
            () => call(`PATCH /v2/domains/records/${id}`, { value: `192.0.2.${n}` }),
            ...['200', '404 not_found'],
          ]),
          recordsAt(name),
        ]
      })

      const certified = (name: string) =>
        count('GET /v3/platform/certs?limit=100', 'certs', ({ cns }) => cns.includes(name))
      same('issue a certificate', { answers: all('200'), left: 1 }, async () => {
        const name = await domain()
        return [() => call('POST /v3/platform/certs', { domains: [name] }), certified(name)]
      })
      same('delete a certificate', { answers: one('200', '404 cert_not_found') }, async () => {
        const { uid } = await must('POST /v3/platform/certs', { domains: [await domain()] })
        return [() => call(`DELETE /v3/platform/certs/${uid}`)]
      })

      const below = (name: string) =>
        count('GET /v2/platform/aliases?limit=100', 'aliases', ({ alias }) => alias.endsWith(`.${name}`))
      const aim = (name: string, n: number) =>
        call(`POST /v2/platform/deployments/${deployment}/aliases`, { alias: `n${n}.${name}` })
      const deployTo = (name: string, n: number) =>
        call('POST /v8/platform/deployments?forceNew=1', {
          ...{ name: site, ...filesOf(`n${n}`), target: 'production' },
          alias: [`n${n}.${name}`],
        })
      const issue = (name: string) => call('POST /v3/platform/certs', { domains: [name] })
      /** Each uses the domain that the first deletes, in this generation of the API. */
      const deleted = (
        name: string,
        generation: string,
        refusal: string,
        use: (n: number) => Promise<Answer>,
        left: Left,
      ): readonly [readonly Choice[], Left] => [
        against([() => call(`DELETE /${generation}/domains/${name}`), '200', refusal], (n) => [
          () => use(n),
          ...['200', '404 not_found'],
        ]),
        async () => (await owns(name)()) === 1 || (await left()) === 0,
      ]
      for (const [generation, what] of [
        ['v4', 'delete one'],
        ['v2', 'delete one with its aliases'],
      ] as const) {
        either(`${what}, and point aliases below it`, { left: true }, async () => {
          const name = await domain()
          return deleted(name, generation, '409 conflict_aliases', (n) => aim(name, n), below(name))
        })
        either(`${what}, and deploy to aliases below it`, { left: true }, async () => {
          const name = await domain()
          return deleted(name, generation, '409 conflict_aliases', (n) => deployTo(name, n), below(name))
        })
        either(`${what}, and issue a certificate for it`, { left: true }, async () => {
          const name = await domain()
          return deleted(name, generation, '409 conflict_certs', () => issue(name), certified(name))
        })
        either(`${what}, and upload certificates for it`, { left: true }, async () => {
          const [name, authority] = [await domain(), await makeAuthority()]
          const { cert, key } = await makeLeaf(authority, [name])
          const upload = () => call('PUT /v3/platform/certs', { ca: authority.cert, cert, key })
          return deleted(name, generation, '409 conflict_certs', upload, certified(name))
        })
      }
      for (const [verb, path, answer] of [
        ['promote', 'v10/projects/:name/promote', '202'],
        ['roll back to', 'v9/projects/:name/rollback', '201'],
      ] as const)
        either(
          `delete one with its aliases, and ${verb} what has aliases below it`,
          { left: 0 },
          async () => {
            const name = await domain()
            const made: string[] = []
            for (let n = 0; n < MANY; n++) {
              const alias = [`n${n}.${name}`]
              const { id, name: of } = await deploy(fresh(), `n${n}`, { target: 'production', alias })
              made.push(`POST /${path.replace(':name', of)}/${id}`)
            }
            return [
              against([() => call(`DELETE /v2/domains/${name}`), '200'], (n) => [
                () => call(made[n] ?? ''),
                answer,
              ]),
              below(name),
            ]
          },
        )
      test('delete one that has a name of a project below it, and promote what has an alias there', async () => {
        const name = await domain()
        const { id, name: of } = await deploy(fresh(), 'both', {
          target: 'production',
          alias: [`alias.${name}`],
        })
        await must(`POST /v10/projects/${of}/domains`, { name: `www.${name}` })
        // The first has the domain then and comes to need the project, of which the other has the lock and needs the domain.
        const answers = await gate.inLine(`select 1 from domains where name = '${name}' for update`, [
          () => call(`DELETE /v2/domains/${name}`),
          () => call(`POST /v10/projects/${of}/promote/${id}`),
        ])
        assert.deepEqual(answers.map(said), ['200', '202'])
        assert.deepEqual([await owns(name)(), await below(name)()], [0, 0])
        assert.equal((await call(`GET /v9/projects/${of}/domains/www.${name}`)).status, 404)
      })
    })

    describe('for the domains of projects', () => {
      const host = () => `${fresh()}.${apex}`
      const add = (name: string, to = site) => call(`POST /v10/projects/${to}/domains`, { name })
      const added = async (): Promise<string> => {
        const name = host()
        assert.equal((await add(name)).status, 200)
        return name
      }
      const at = (name: string) => `/v9/projects/${site}/domains/${name}`

      same('add one', { answers: one('200', '400 domain_already_in_use') }, async () => {
        const name = host()
        return [() => add(name)]
      })
      same('add one to several', { answers: one('200', '409 domain_already_in_use', 3) }, async () => {
        const [name, sites] = [host(), [await project(), await project(), await project()]]
        return [sites.map((each) => () => add(name, each))]
      })
      same('remove one', { answers: one('200', '404 not_found') }, async () => {
        const name = await added()
        return [() => call(`DELETE ${at(name)}`)]
      })
      either('remove and change one', { left: 404 }, async () => {
        const name = await added()
        return [
          against([() => call(`DELETE ${at(name)}`), '200'], (n) => [
            () => call(`PATCH ${at(name)}`, { gitBranch: `b${n}` }),
            ...['200', '404 not_found'],
          ]),
          statusOf(`GET ${at(name)}`),
        ]
      })
      same('redirect two to each other', { answers: { 200: 1, '400 invalid_redirect': 1 } }, async () => {
        const [a, b] = [await added(), await added()]
        const redirect = (from: string, to: string) => () => call(`PATCH ${at(from)}`, { redirect: to })
        return [[redirect(a, b), redirect(b, a)]]
      })
      test('redirect to one that is removed', async () => {
        const [a, b] = [await added(), await added()]
        const [removed, redirected] = await gate.through([
          () => call(`DELETE ${at(a)}`),
          () => call(`PATCH ${at(b)}`, { redirect: a }),
        ])
        const answers = [removed, redirected].map((answer) => answer && said(answer))
        assert.deepEqual(
          answers,
          removed?.status === 200 ? ['200', '400 invalid_redirect'] : ['409 conflict', '200'],
        )
      })
    })

    describe('for the repositories of projects', () => {
      const at = (name: string) => `/v1/projects/${name}/git`
      const url = 'https://git.example/anna/site.git'

      test('connect one: whoever is told a secret is told the one that counts', async () => {
        const name = await project()
        const answers = await gate.through(many(() => () => call(`PUT ${at(name)}`, { url })))
        assert.deepEqual(counted(answers), all('200'), JSON.stringify(answers.map(({ body }) => body)))
        assert.equal(answers.filter(({ body }) => body.webhookSecret !== undefined).length, 1)
        const { webhookUrl } = await must(`GET ${at(name)}`)
        for (const { body } of answers) assert.equal(body.webhookUrl, webhookUrl)
      })
      same('disconnect one', { answers: one('204', '404 not_found'), left: null }, async () => {
        const name = await project()
        await must(`PUT ${at(name)}`, { url })
        return [() => call(`DELETE ${at(name)}`), async () => (await must(`GET ${at(name)}`)).url]
      })
    })

    describe('for what projects have', () => {
      const environments = (name: string) => `/v9/projects/${name}/custom-environments`
      same('create an environment', { answers: one('201', '409 conflict'), left: 1 }, async () => {
        const name = await project()
        return [
          () => call(`POST ${environments(name)}`, { slug: 'qa' }),
          count(`GET ${environments(name)}`, 'environments'),
        ]
      })
      same(
        'rename several environments to one slug',
        { answers: one('200', '409 conflict', 3) },
        async () => {
          const at = environments(await project())
          for (const slug of ['a', 'b', 'c']) await must(`POST ${at}`, { slug })
          return [['a', 'b', 'c'].map((each) => () => call(`PATCH ${at}/${each}`, { slug: 'same' }))]
        },
      )
      same('delete an environment', { answers: one('200', '404 not_found') }, async () => {
        const at = environments(site)
        const { id } = await must(`POST ${at}`, { slug: fresh() })
        return [() => call(`DELETE ${at}/${id}`, {})]
      })
      either('delete an environment and deploy to it', { left: 404 }, async () => {
        const at = environments(site)
        const { id } = await must(`POST ${at}`, { slug: fresh() })
        const body = { name: site, project: site, customEnvironmentSlugOrId: id }
        return [
          against([() => call(`DELETE ${at}/${id}`, {}), '200'], (n) => [
            () => call('POST /v8/platform/deployments', { ...body, ...filesOf(`x${n}`) }),
            ...['200', '400 bad_request'],
          ]),
          statusOf(`GET ${at}/${id}`),
        ]
      })
      const hooks = (name: string) => `/v2/projects/${name}/deploy-hooks`
      same('add deploy hooks', { answers: all('201'), left: MANY }, async () => {
        const name = await project()
        return [
          many((n) => () => call(`POST ${hooks(name)}`, { name: `h${n}`, ref: 'main' })),
          async () => (await must(`GET /v9/projects/${name}`)).link.deployHooks.length,
        ]
      })
      same('delete a deploy hook', { answers: one('200', '404 not_found') }, async () => {
        const name = await project()
        const { link } = await must(`POST ${hooks(name)}`, { name: 'h', ref: 'main' })
        return [() => call(`DELETE ${hooks(name)}/${link.deployHooks[0].id}`)]
      })
      const cron = async (): Promise<string> => {
        const at = `/v1/projects/${site}/crons`
        return `${at}/${(await must(`POST ${at}`, { path: '/x', schedule: '0 0 1 1 *' })).id}`
      }
      same('delete a schedule', { answers: one('204', '404 not_found') }, async () => {
        const at = await cron()
        return [() => call(`DELETE ${at}`)]
      })
      either('delete and change a schedule', {}, async () => {
        const at = await cron()
        return [
          against([() => call(`DELETE ${at}`), '204'], (n) => [
            () => call(`PATCH ${at}`, { schedule: `${n} 0 1 1 *` }),
            ...['200', '404 not_found'],
          ]),
        ]
      })
    })

    describe('for integrations', () => {
      const webhook = async (): Promise<string> => {
        const { id } = await must('POST /v1/webhooks', {
          url: 'https://example.com',
          events: ['project.created'],
        })
        return `/v1/webhooks/${id}`
      }
      same('delete a webhook', { answers: one('204', '404 not_found') }, async () => {
        const at = await webhook()
        return [() => call(`DELETE ${at}`)]
      })
      same(
        'change a webhook in different ways',
        { answers: all('200'), left: ['https://example.com/y', ['project.removed']] },
        async () => {
          const at = await webhook()
          const changes = [{ url: 'https://example.com/y' }, { events: ['project.removed'] }]
          return [
            many((n) => () => call(`PATCH ${at}`, changes[n % 2])),
            async () => {
              const { url, events } = await must(`GET ${at}`)
              return [url, events]
            },
          ]
        },
      )
      either('delete and change a webhook', { left: 404 }, async () => {
        const at = await webhook()
        return [
          against([() => call(`DELETE ${at}`), '204'], (n) => [
            () => call(`PATCH ${at}`, { url: `https://example.com/${n}` }),
            ...['200', '404 not_found'],
          ]),
          statusOf(`GET ${at}`),
        ]
      })
      same('delete a log drain', { answers: one('204', '404 not_found') }, async () => {
        const drain = sampleDrain({ ownerId: me.id })
        await server.parts.stores.drains.add(drain, '0')
        return [() => call(`DELETE /v1/log-drains/${drain.id}`)]
      })
      same('delete a Git host', { answers: one('204', '404 not_found') }, async () => {
        const connection = sampleConnection({ ownerId: me.id })
        await server.parts.stores.connections.add(connection)
        return [() => call(`DELETE /v1/git/connections/${connection.id}`)]
      })
      same('delete a GitHub App', { answers: one('204', '404 not_found') }, async () => {
        const app = sampleApp({ ownerId: me.id })
        await server.parts.stores.apps.add(app)
        return [() => call(`DELETE /v1/git/apps/${app.id}`)]
      })

      const applications = '/v1/integrations/applications'
      same('register an application', { answers: one('200', '409 conflict') }, async () => {
        const body = {
          name: 'App',
          slug: fresh(),
          redirectUrl: 'https://app.example/x',
          scopes: { user: 'read' },
        }
        return [() => call(`POST ${applications}`, body)]
      })
      same('give two applications one slug', { answers: { 200: 1, '409 conflict': 1 } }, async () => {
        const [a, b, slug] = [await application(me), await application(me), fresh()]
        return [
          [a, b].map(
            ({ id }) =>
              () =>
                call(`PATCH ${applications}/${id}`, { slug }),
          ),
        ]
      })
      same('delete an application', { answers: one('204', '404 not_found') }, async () => {
        const { id } = await application(me)
        return [() => call(`DELETE ${applications}/${id}`)]
      })
      const installed = (user: Account) =>
        count('GET /v1/integrations/configurations', '', undefined, user.token)
      same('install an application', { answers: all('303'), left: 1 }, async () => {
        const [{ clientId }, user] = [await application(me), await server.signUp()]
        const consented = form({ client_id: clientId })
        return [
          () => server.call('POST /oauth/authorize', { token: user.token, ...consented }),
          installed(user),
        ]
      })
      test('install an application that is deleted', async () => {
        const [{ id, clientId }, user] = [await application(me), await server.signUp()]
        const [deleted, consented] = await gate.through([
          () => call(`DELETE ${applications}/${id}`),
          () => server.call('POST /oauth/authorize', { token: user.token, ...form({ client_id: clientId }) }),
        ])
        assert.equal(deleted?.status, 204)
        assert.ok([303, 404].includes(consented?.status ?? 0), String(consented?.status))
        await server.runJobs()
        assert.equal(await installed(user)(), 0)
      })
      test('exchange a code, which then is worth nothing, nor is its token', async () => {
        const [app, user] = [await application(me), await server.signUp()]
        const code = (await consent(server, user.token, app)).get('code') ?? ''
        const answers = await gate.through(many(() => () => exchange(server, app, code)))
        assert.deepEqual(counted(answers), one('200', '400 invalid_grant'))
        const token = answers.find(({ status }) => status === 200)?.body.access_token
        assert.equal((await call('GET /v2/user', undefined, token)).status, 403)
      })
      same('uninstall an application', { answers: one('204', '404 not_found'), left: 0 }, async () => {
        const [app, user] = [await application(me), await server.signUp()]
        const { configurationId } = await install(server, user.token, app)
        return [
          () => call(`DELETE /v1/integrations/configuration/${configurationId}`, undefined, user.token),
          installed(user),
        ]
      })
      either('uninstall and change an application', { left: 0 }, async () => {
        const [app, user] = [await application(me), await server.signUp()]
        const { configurationId } = await install(server, user.token, app)
        const at = `/v1/integrations/configuration/${configurationId}`
        return [
          against([() => call(`DELETE ${at}`, undefined, user.token), '204'], () => [
            () => call(`PATCH ${at}`, { projectSelection: 'all' }, user.token),
            ...['200', '404 not_found'],
          ]),
          installed(user),
        ]
      })
    })

    describe('for operators', () => {
      const bury = async (): Promise<string> => {
        const { jobs } = server.parts.stores
        const id = await jobs.enqueue({ kind: 'no.such', payload: {} })
        const now = server.clock.now()
        await jobs.claim({ kinds: ['no.such'], worker: 'w', now, leaseUntil: now + 1, limit: MANY })
        await jobs.bury(id, 'w', 'the disk is full', now)
        return `/v1/operator/jobs/failed/${id}`
      }
      same('try a failed job again', { answers: one('200', '404 not_found') }, async () => {
        const [{ token }, at] = [await server.operator(), await bury()]
        return [() => call(`POST ${at}/retry`, undefined, token)]
      })
      same('forget a failed job', { answers: one('204', '404 not_found') }, async () => {
        const [{ token }, at] = [await server.operator(), await bury()]
        return [() => call(`DELETE ${at}`, undefined, token)]
      })
      same('change an account in different ways', { answers: all('200'), left: ['pro', true] }, async () => {
        const [{ token }, user] = [await server.operator(), await server.signUp()]
        const at = `/v1/operator/accounts/${user.id}`
        const changes = [{ plan: 'pro' }, { softBlocked: true }]
        return [
          many((n) => () => call(`PATCH ${at}`, changes[n % 2], token)),
          async () => {
            const { plan, softBlocked } = await must(`GET ${at}`, undefined, token)
            return [plan, softBlocked]
          },
        ]
      })
      const quotas = QUOTA_NAMES.slice(0, 4)
      same('change different quotas of an account', { answers: all('200'), left: quotas }, async () => {
        const [{ token }, user] = [await server.operator(), await server.signUp()]
        const at = `/v1/operator/accounts/${user.id}`
        const change = (n: number) => ({ [String(quotas[n % quotas.length])]: 7 })
        return [
          many((n) => () => call(`PATCH ${at}/quotas`, change(n), token)),
          async () => (await must(`GET ${at}/usage`, undefined, token)).changed,
        ]
      })
      same('remove a machine', { answers: one('200', '404 not_found') }, async () => {
        const { token } = await server.operator()
        await server.parts.stores.machines.report(MACHINE)
        return [() => call('DELETE /v1/operator/machines/lost', undefined, token)]
      })
    })
  }),
)
