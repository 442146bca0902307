/**
 * An application for Aloft, whole and without dependencies: it is installed into an account by OAuth, is told when a
 * deployment is ready, checks that it was Aloft who told it, and notes the deployment in a variable of the project.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'

const aloft = process.env.ALOFT_BASE_URL ?? 'http://localhost:3000'
const port = Number(process.env.PORT ?? 4000)
const host = process.env.HOST ?? '127.0.0.1'
/** What has to survive a restart: who it is, and the token of every account that has let it in. */
const file = process.env.STATE_FILE ?? 'integration.json'

const state = await readFile(file, 'utf8').then(JSON.parse, () => ({ application: null, installations: {} }))
const save = () => writeFile(file, JSON.stringify(state, null, 2), { mode: 0o600 })

/** Sent along to the consent page and back, so that nobody else can end what was begun here. */
const begun = new Set()
/** Events can come twice; each is acted on once. */
const seen = new Set()

const server = createServer((request, response) => {
  answer(request).then(
    ({ status = 200, text = '', headers = {} }) =>
      response
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
        .end(`${text}\n`),
    (error) => {
      console.error(error)
      response.writeHead(500).end('This did not work.\n')
    },
  )
})

function answer(request) {
  const url = new URL(request.url, `http://${host}`)
  if (url.pathname === '/install') return install()
  if (url.pathname === '/callback') return callback(url.searchParams)
  if (url.pathname === '/webhook' && request.method === 'POST') return webhook(request)
  return Promise.resolve({ text: 'Go to /install to let this application into an account.' })
}

/** Sends somebody to the page that asks them. */
async function install() {
  const secret = randomBytes(16).toString('hex')
  begun.add(secret)
  const query = new URLSearchParams({ client_id: state.application.clientId, state: secret })
  return { status: 302, headers: { location: `${aloft}/oauth/authorize?${query}` } }
}

/** Where they come back to, with a code that is exchanged for a token. */
async function callback(query) {
  if (!begun.delete(query.get('state'))) return { status: 400, text: 'This was not begun here.' }
  if (query.has('error')) return { status: 403, text: `Not installed: ${query.get('error')}` }
  const { clientId, clientSecret, redirectUrl } = state.application
  const response = await fetch(`${aloft}/v2/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      code: query.get('code') ?? '',
      redirect_uri: redirectUrl,
    }),
  })
  const granted = await response.json()
  if (!response.ok) return { status: 502, text: `Aloft refused the code: ${granted.error.message}` }
  const { access_token: token, installation_id: id, user_id: userId, team_id: teamId } = granted
  state.installations[id] = { token, userId, teamId }
  await save()
  console.log(`installed ${id}`)
  return { text: 'Installed. Deploy something.' }
}

/** What Aloft sends, in which nothing can be trusted before its signature was checked. */
async function webhook(request) {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > 1024 * 1024) return { status: 413, text: 'That is too much.' }
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  if (!isSigned(body, request.headers['x-platform-signature'])) {
    console.log('refused')
    return { status: 403, text: 'Who are you?' }
  }
  const event = JSON.parse(body.toString('utf8'))
  if (!seen.has(event.id)) {
    // An error here answers 500, and Aloft sends the event again.
    await act(event)
    seen.add(event.id)
  }
  return { text: 'Thank you.' }
}

/** Takes the same time whatever is sent, so that a signature cannot be guessed bit by bit. */
function isSigned(body, signature) {
  const expected = createHmac('sha1', state.application.clientSecret).update(body).digest()
  const given = Buffer.from(String(signature ?? ''), 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function act({ type, payload }) {
  if (type === 'integration-configuration.removed') {
    delete state.installations[payload.configuration.id]
    await save()
    console.log(`removed ${payload.configuration.id}`)
  } else if (type === 'deployment.ready') await note(payload)
}

/** Writes down the latest deployment in a variable of its project, which belongs to this application. */
async function note({ team, user, project, deployment }) {
  const installation = Object.values(state.installations).find(({ teamId, userId }) =>
    team.id === null ? teamId === null && userId === user.id : teamId === team.id,
  )
  if (!installation) return
  const query = new URLSearchParams({ upsert: 'true', ...(team.id === null ? {} : { teamId: team.id }) })
  const response = await fetch(`${aloft}/v10/projects/${project.id}/env?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      key: 'LAST_READY_DEPLOYMENT',
      value: deployment.url,
      type: 'plain',
      target: ['production', 'preview', 'development'],
    }),
  })
  if (!response.ok) throw new Error(`Aloft answered ${response.status}: ${await response.text()}`)
  console.log(`noted ${deployment.id}`)
}

/** Once: who registers an application is somebody with an account and a token. */
async function register(address) {
  const response = await fetch(`${aloft}/v1/integrations/applications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.ALOFT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Deployment notes',
      redirectUrl: `${address}/callback`,
      webhookUrl: `${address}/webhook`,
      scopes: { deployment: 'read', 'project-env-vars': 'read-write' },
      note: 'Writes down which deployment was ready last.',
    }),
  })
  const registered = await response.json()
  if (!response.ok) throw new Error(`It could not be registered: ${registered.error.message}`)
  const { id, clientId, clientSecret, redirectUrl } = registered
  state.application = { id, clientId, clientSecret, redirectUrl }
  await save()
}

server.listen(port, host, async () => {
  const address = process.env.PUBLIC_URL ?? `http://${host}:${server.address().port}`
  if (state.application === null) await register(address)
  console.log(`ready ${address}`)
})
