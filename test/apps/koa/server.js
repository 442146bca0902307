import { text } from 'node:stream/consumers'
import Router from '@koa/router'
import Koa from 'koa'

const router = new Router()
router.get('/', (context) => {
  context.body = `Koa greets ${context.query.name}`
})
router.get('/people/:name', (context) => {
  context.body = `Person ${context.params.name}`
})
router.post('/api/sum', async (context) => {
  const { a, b } = JSON.parse(await text(context.req))
  context.body = { sum: a + b }
})
router.get('/cookie', (context) => {
  context.cookies.set('one', '1')
  context.cookies.set('two', '2')
  context.body = `had a=${context.cookies.get('a')}`
})

new Koa().use(router.routes()).listen(process.env.PORT ?? 3000)
