import type { SendText } from '#client/call/send-text.ts'

/**
 * What fetch does with a text and an answer that is one, by what the process has loaded anyhow: the first call of fetch
 * takes more of the processor than the rest of a command, most of it to compile a parser.
 */
export const sendText: SendText = (url, { method, headers, body, signal }) => {
  // An import of node:http loads all that it exports, which is fetch again.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<SendText>>>()
  const size = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(url, { method, headers: { accept: '*/*', ...headers, ...size }, signal })
  sent.on('error', reject)
  sent.on('response', (answer) => {
    const { statusCode: status = 0, headersDistinct } = answer
    const fields = new Map(
      Object.entries(headersDistinct)
        .map(([name, values = []]): [string, string] => [name, values.join(', ')])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      text += piece
    })
    answer.on('error', reject)
    answer.on('end', () =>
      resolve({
        ...{ status, ok: status >= 200 && status < 300 },
        headers: { get: (name) => fields.get(name) ?? null, entries: () => fields.entries() },
        text: async () => text,
      }),
    )
  })
  sent.end(body)
  return promise
}
