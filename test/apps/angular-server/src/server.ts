import { join } from 'node:path'
import {
  AngularNodeAppEngine,
  createNodeRequestHandler,
  isMainModule,
  writeResponseToNodeResponse,
} from '@angular/ssr/node'
import express from 'express'

const app = express()
const angular = new AngularNodeAppEngine()

app.post('/api/sum', express.json(), ({ body }, res) => {
  res.json({ sum: body.a + body.b })
})
app.use(express.static(join(import.meta.dirname, '../browser'), { index: false, redirect: false }))
app.use((req, res, next) => {
  angular
    .handle(req)
    .then((response) => (response ? writeResponseToNodeResponse(response, res) : next()))
    .catch(next)
})

if (isMainModule(import.meta.url)) app.listen(process.env.PORT || 4000)

export const reqHandler = createNodeRequestHandler(app)
