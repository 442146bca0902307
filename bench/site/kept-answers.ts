/**
 * Answers that are kept for everybody, of a function and of an image, through the whole product: requests per second of
 * the CPU time of all its processes, against a static file of the same size on the same host.
 *
 *   node bench/site/kept-answers.ts
 */

import { wrk } from '../load/wrk.ts'
import { comparisons, measure, type Subject } from '../measure/compare.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const BYTES = 1000
const STATIC = 'a static file of the same size'

/** Pictures that move go out as they are, so that an image is as long as its file. */
const GIF = 'GIF89a'.padEnd(BYTES, 'x')

async function compare(
  platform: Platform,
  what: string,
  host: string,
  [kept, file]: readonly [string, string],
): Promise<Row[]> {
  const subject = (name: string, path: string): Subject => ({
    ...{ name, pids: () => [platform.pid as number], withChildren: true },
    load: (seconds) => wrk(`${platform.url}${path}`, seconds, { Host: host }),
  })
  // The first answer is made; from then on it is kept.
  for (let i = 0; i < 2; i++) await platform.call(kept, { headers: { host } })
  const pairs = await measure(subject('aloft', kept), [subject(STATIC, file)])
  return comparisons('P20', what, pairs, { [STATIC]: 0.9 })
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  try {
    const ofFunction = await deployReady(platform, 'kept', {
      'api/kept.js': `module.exports = (req, res) => {
        res.setHeader('cache-control', 's-maxage=86400')
        res.end('x'.repeat(${BYTES}))
      }\n`,
      'file.bin': 'x'.repeat(BYTES),
    })
    const ofImage = await deployReady(platform, 'kept-image', {
      '.vercel/output/config.json': JSON.stringify({
        version: 3,
        images: { sizes: [640], domains: [], minimumCacheTTL: 86_400, formats: ['image/webp'] },
      }),
      '.vercel/output/static/a.gif': GIF,
    })
    return [
      ...(await compare(platform, 'a kept answer of a function', ofFunction, ['/api/kept', '/file.bin'])),
      ...(await compare(platform, 'a kept image', ofImage, ['/_vercel/image?url=%2Fa.gif&w=640', '/a.gif'])),
    ]
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
