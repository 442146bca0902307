import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { deployed, type Files, visit } from '#test/support/deploying.ts'
import { type Installation, install, TWO_SERVING } from '#test/support/installation.ts'

let aloft: Installation

before(async () => {
  aloft = await install({ env: TWO_SERVING })
})
after(() => aloft.remove())

/** As `visit`, with the bytes as they are. */
const fetched = (host: string, path: string) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const headers = { host, accept: 'image/webp,*/*' }
    request({ host: '127.0.0.1', port: aloft.port, path, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
      .on('error', reject)
      .end()
  })

async function output(): Promise<Files> {
  const func = '.vercel/output/functions/news.func'
  const picture = sharp({ create: { width: 2000, height: 2000, channels: 3, background: 'teal' } })
  return {
    '.vercel/output/config.json': JSON.stringify({
      version: 3,
      routes: [{ handle: 'filesystem' }],
      images: { sizes: [800], formats: ['image/webp'], minimumCacheTTL: 60 },
    }),
    '.vercel/output/static/photo.jpg': await picture.jpeg().toBuffer(),
    [`${func}/.vc-config.json`]: JSON.stringify({
      runtime: 'nodejs22.x',
      handler: 'i.js',
      launcherType: 'Nodejs',
    }),
    [`${func}/i.js`]: `let count = 0
module.exports = (req, res) => {
  res.setHeader('cache-control', 's-maxage=600')
  res.setHeader('x-vercel-cache-tags', 'news')
  res.end('made ' + ++count)
}
`,
  }
}

test('a function is asked once, and again after a purge; pictures are resized', async () => {
  const { url } = await deployed(aloft, { name: 'kept', target: 'production', files: await output() })
  const news = async () => {
    const { text, headers } = await visit(aloft, url, { path: '/news' })
    return [text, headers['x-vercel-cache']]
  }
  assert.deepEqual(await news(), ['made 1', 'MISS'])
  assert.deepEqual(await news(), ['made 1', 'HIT'])
  const purged = await fetch(`${aloft.url}/v1/projects/kept/cache/purge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tags: ['news'] }),
  })
  assert.equal(purged.status, 200)
  for (;;) {
    const [text, from] = await news()
    if (text === 'made 1') continue
    assert.deepEqual([text, from], ['made 2', 'REVALIDATED'])
    break
  }
  const picture = '/_vercel/image?url=%2Fphoto.jpg&w=800&q=75'
  const { status, headers, body } = await fetched(url, picture)
  assert.deepEqual(
    [status, headers['content-type']],
    [200, 'image/webp'],
    body.toString('latin1').slice(0, 200),
  )
  const { width, height, format } = await sharp(body).metadata()
  assert.deepEqual([width, height, format], [800, 800, 'webp'])
  assert.equal((await fetched(url, picture)).headers['x-vercel-cache'], 'HIT')
})

test('a site of files alone says in its configuration file in which sizes its pictures can be had', async () => {
  const picture = sharp({ create: { width: 900, height: 600, channels: 3, background: 'teal' } })
  const files = {
    'assets/photo.png': await picture.png().toBuffer(),
    'other/photo.png': await picture.png().toBuffer(),
    'vercel.json': JSON.stringify({
      images: { sizes: [300], formats: ['image/webp'], localPatterns: [{ pathname: '/assets/**' }] },
    }),
  }
  const { url } = await deployed(aloft, { name: 'pictures', target: 'production', files })
  const { status, body } = await fetched(url, '/_vercel/image?url=%2Fassets%2Fphoto.png&w=300&q=75')
  assert.equal(status, 200, body.toString('latin1').slice(0, 200))
  const { width, height, format } = await sharp(body).metadata()
  assert.deepEqual([width, height, format], [300, 200, 'webp'])
  for (const refused of ['url=%2Fassets%2Fphoto.png&w=301&q=75', 'url=%2Fother%2Fphoto.png&w=300&q=75'])
    assert.equal((await fetched(url, `/_vercel/image?${refused}`)).status, 400, refused)
})
