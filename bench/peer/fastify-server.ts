/** The peer of `api-read.ts`: Fastify with one answer that never changes. */
import fastify from 'fastify'

const [body = ''] = process.argv.slice(2)
const app = fastify()
app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.(Number(new URL(address).port))
