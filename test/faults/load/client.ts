import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'

interface Answer {
  readonly status: number
  readonly text: string
}

interface Asking {
  readonly port: number
  readonly host: string
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Over TLS, trusting this authority. */
  readonly ca?: Buffer
  /** Where that is not the usual. */
  readonly timeoutMs?: number
}

/** Nobody waits for longer. */
const TIMEOUT_MS = 10_000
const agent = new Agent({ keepAlive: true })
/** A handshake for every request. */
const secureAgent = new SecureAgent({ keepAlive: false })

/** One request on this machine. Rejects when it is not answered whole. */
export function ask({
  port,
  host,
  path,
  method = 'GET',
  headers,
  body,
  ca,
  timeoutMs = TIMEOUT_MS,
}: Asking): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = {
    ...{ port, host: '127.0.0.1', path, method, headers: { host, ...headers } },
    signal: AbortSignal.timeout(timeoutMs),
  }
  const read = async (response: IncomingMessage) => {
    const chunks: Buffer[] = await response.toArray()
    resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
  }
  const onResponse = (response: IncomingMessage) => void read(response).catch(reject)
  const asked =
    ca === undefined
      ? request({ ...options, agent }, onResponse)
      : secureRequest({ ...options, agent: secureAgent, ca, servername: host }, onResponse)
  asked.on('error', reject).end(body)
  return promise
}
