// Runs inside the sandbox: reads images of strangers and writes them in another size. One request a connection: a line of
// JSON with the request, then the image. The answer: a line of JSON, with `error` where it failed or the number of `bytes`, then those.
import { createServer } from 'node:net'
import sharp from 'sharp'

const [socket, maxPixels] = process.argv.slice(2)
sharp.cache(false)
sharp.concurrency(1)

function convert(bytes, { width, quality, type }) {
  const image = sharp(bytes, { limitInputPixels: Number(maxPixels), failOn: 'error', sequentialRead: true })
  const resized = image.rotate().resize({ width, withoutEnlargement: true })
  switch (type) {
    case 'image/avif':
      return resized.avif({ quality: Math.max(quality - 20, 1), effort: 3 }).toBuffer()
    case 'image/webp':
      return resized.webp({ quality }).toBuffer()
    case 'image/png':
      return resized.png({ quality }).toBuffer()
    default:
      return resized.jpeg({ quality, mozjpeg: true }).toBuffer()
  }
}

const server = createServer({ allowHalfOpen: true }, (connection) => {
  const parts = []
  connection.on('error', () => {})
  connection.on('data', (part) => parts.push(part))
  connection.on('end', async () => {
    try {
      const all = Buffer.concat(parts)
      const line = all.indexOf(10)
      const made = await convert(all.subarray(line + 1), JSON.parse(all.toString('utf8', 0, line)))
      connection.end(Buffer.concat([Buffer.from(`${JSON.stringify({ bytes: made.length })}\n`), made]))
    } catch (error) {
      connection.end(`${JSON.stringify({ error: String(error?.message ?? error).slice(0, 300) })}\n`)
    }
  })
})
server.listen(socket, () => process.stdout.write('ready\n'))
