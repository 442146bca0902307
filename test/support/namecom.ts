import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Pricing {
  readonly purchasePrice?: number
  readonly renewalPrice?: number
  readonly transferPrice?: number
  readonly premium?: boolean
}

export interface FakeNamecom {
  readonly url: string
  readonly user: string
  readonly token: string
  /** What names like this cost, by what comes after their first label. */
  readonly prices: Map<string, Pricing>
  /** Names that somebody has, with their nameservers when they are in this account. */
  readonly taken: Set<string>
  readonly held: Map<string, { nameservers: readonly string[]; expireDate: string }>
  readonly transfers: Map<string, string>
  /** Every payment: one a key. */
  readonly payments: Map<string, string>
  /** Every request: `POST /core/v1/domains`. */
  readonly requests: string[]
  /** What becomes of the next answers: a status instead, `cut` off after the work was done, or `none`. */
  readonly failures: (number | 'cut' | 'none')[]
  close(): Promise<void>
}

/** A registrar that speaks like the Core API of name.com, with what it has in memory. */
export async function startNamecom(): Promise<FakeNamecom> {
  const state = {
    user: 'someone',
    token: 'a-token',
    prices: new Map<string, Pricing>([
      ['com', { purchasePrice: 12.99, renewalPrice: 17.5, transferPrice: 13, premium: false }],
      ['rich', { purchasePrice: 499.01, renewalPrice: 20, premium: true }],
    ]),
    taken: new Set<string>(),
    held: new Map<string, { nameservers: readonly string[]; expireDate: string }>(),
    transfers: new Map<string, string>(),
    payments: new Map<string, string>(),
    requests: [] as string[],
    failures: [] as (number | 'cut' | 'none')[],
  }
  const expireDate = '2030-01-02T03:04:05Z'
  const priceOf = (name: string) => state.prices.get(name.slice(name.indexOf('.') + 1))

  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  function answer(on: string, body: any, key: string | undefined): [number, unknown] {
    const refuse = (status: number, message: string): [number, unknown] => [status, { message }]
    const named = /\/domains\/([^/:?]+)(:\w+)?/.exec(on)
    if (on === 'POST /core/v1/domains:checkAvailability') {
      const results = body.domainNames.map((domainName: string) => ({
        domainName,
        purchasable: priceOf(domainName) !== undefined && !state.taken.has(domainName),
        purchaseType: 'registration',
      }))
      return [200, { results }]
    }
    if (on === 'POST /core/v1/domains') {
      const { domainName, nameservers } = body.domain
      const known = state.payments.get(key ?? '')
      if (known === undefined) {
        const { premium, purchasePrice } = priceOf(domainName) ?? {}
        if (state.taken.has(domainName)) return refuse(400, 'Domain not available')
        if (premium && body.purchasePrice !== purchasePrice) return refuse(400, 'Invalid purchase price')
        state.payments.set(key ?? `without a key ${state.payments.size}`, domainName)
        state.taken.add(domainName)
        state.held.set(domainName, { nameservers, expireDate })
      }
      return [200, { domain: { domainName, nameservers, expireDate }, order: 1, totalPaid: 12.99 }]
    }
    if (on === 'POST /core/v1/transfers') {
      const { domainName, authCode } = body
      if (authCode === 'wrong!') return refuse(400, 'Invalid authorization code')
      if (!state.taken.has(domainName)) return refuse(422, 'Domain is not registered')
      state.payments.set(key ?? '', domainName)
      state.transfers.set(domainName, 'pending')
      return [200, { transfer: { domainName, status: 'pending' }, order: 2, totalPaid: 13 }]
    }
    if (on.startsWith('GET /core/v1/transfers/')) {
      const domainName = on.slice('GET /core/v1/transfers/'.length)
      const status = state.transfers.get(domainName)
      return status === undefined ? refuse(404, 'Not Found') : [200, { domainName, status }]
    }
    if (named?.[2] === ':getPricing') {
      const price = priceOf(named[1] as string)
      return price ? [200, price] : refuse(422, 'TLD not supported')
    }
    if (named?.[2] === ':setNameservers') {
      state.held.set(named[1] as string, { nameservers: body.nameservers, expireDate })
      return [200, { domainName: named[1] }]
    }
    const domain = named ? state.held.get(named[1] as string) : undefined
    return domain ? [200, { domainName: named?.[1], ...domain }] : refuse(404, 'Not Found')
  }

  const read = async (request: IncomingMessage) => {
    const text = Buffer.concat(await request.toArray()).toString()
    return text === '' ? undefined : JSON.parse(text)
  }
  const server = createServer(async (request, response) => {
    const body = await read(request)
    const on = `${request.method} ${decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname)}`
    state.requests.push(on)
    const failure = state.failures.shift()
    if (typeof failure === 'number') {
      response.writeHead(failure, { 'content-type': 'text/html' }).end('<p>Oh no</p>')
      return
    }
    const expected = `Basic ${Buffer.from(`${state.user}:${state.token}`).toString('base64')}`
    const [status, reply] =
      request.headers.authorization === expected
        ? answer(on, body, request.headers['x-idempotency-key'] as string | undefined)
        : [401, { message: 'Unauthorized' }]
    if (failure === 'cut') request.socket.destroy()
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
