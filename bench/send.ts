import { Agent, request } from 'node:http'

export interface Ask {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  readonly agent: Agent
}

export interface Reply {
  readonly status: number
  readonly body: string
}

export const oneConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

export function send({ url, method = 'GET', headers = {}, body, agent }: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    // In one piece, so that a body goes out with its length.
    asked.end(body)
  })
}
