import assert from 'node:assert/strict'
import type { Answer, TestServer } from '../server.ts'

export interface DomainOwner {
  readonly id: string
  readonly token: string
  /** Of the project. */
  readonly name: string
  /** A registrable name that no other test has. */
  readonly apex: string
  call(on: string, body?: unknown): Promise<Answer>
  /** A deployment of the project; production where it is said. */
  deploy(text: string, target?: 'production' | 'staging', more?: object): Promise<Answer['body']>
  add(name: string, settings?: object): Promise<Answer>
  patch(name: string, settings: object): Promise<Answer>
  /** What visitors get, or else the status. */
  shown(host: string): Promise<string | number>
}

let count = 0

/** An account with a project that domains can be given to. `query` says for whom it acts. */
export async function beginDomains(
  server: TestServer,
  { account, query = '' }: { readonly account?: { id: string; token: string }; readonly query?: string } = {},
): Promise<DomainOwner> {
  const { id, token } = account ?? (await server.signUp())
  const name = `shop-${process.pid}-${++count}`
  const call: DomainOwner['call'] = (on, body) => server.call(`${on}${query}`, { token, body })
  const created = await call('POST /v10/projects', { name })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  return {
    id,
    token,
    name,
    apex: `${name}.com`,
    call,
    async deploy(text, target, more = {}) {
      const answer = await server.call(`POST /v8/platform/deployments${query || '?'}&forceNew=1`, {
        token,
        body: {
          name,
          project: name,
          version: 2,
          files: [{ file: 'index.html', data: text }],
          ...(target ? { target } : {}),
          ...more,
        },
      })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      server.clock.advance(1)
      return answer.body
    },
    async add(domain, settings = {}) {
      const answer = await call(`POST /v10/projects/${name}/domains`, { name: domain, ...settings })
      server.clock.advance(1)
      return answer
    },
    patch: (domain, settings) => call(`PATCH /v9/projects/${name}/domains/${domain}`, settings),
    async shown(host) {
      const { status, body } = await server.visit(host, '/')
      return status === 200 ? body : status
    },
  }
}
