import { Hono } from 'hono'

const app = new Hono()
app.get('/', (c) => c.text('Hono here'))
app.get('/user/:id', (c) => c.json({ id: c.req.param('id') as string }))
export default app
