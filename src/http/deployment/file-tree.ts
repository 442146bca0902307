import { Readable } from 'node:stream'
import type { RawReply } from '#contract/endpoint.ts'
import type { TreeStep } from '#core/deployment/file/file-tree.ts'
import { DIRECTORY_MODE } from '#core/deployment/file/manifest.ts'

/** A tree as it goes, because it can be too large to be made in one go. */
export const fileTree = (
  steps: AsyncIterable<readonly TreeStep[]>,
  { modes }: { modes: boolean },
): RawReply => ({
  type: 'application/json; charset=utf-8',
  body: Readable.from(jsonOf(steps, modes), { objectMode: false }),
})

async function* jsonOf(steps: AsyncIterable<readonly TreeStep[]>, modes: boolean): AsyncGenerator<string> {
  let comma = ''
  let text = '['
  for await (const batch of steps) {
    for (const step of batch) {
      if (step.kind === 'close') text += ']}'
      else if (step.kind === 'open')
        text += `${comma}{"name":${JSON.stringify(step.name)},"type":"directory"${modes ? `,"mode":${DIRECTORY_MODE}` : ''},"children":[`
      else
        text += `${comma}{"name":${JSON.stringify(step.name)},"type":"file","uid":"${step.sha1}"${modes ? `,"mode":${step.mode}` : ''}}`
      comma = step.kind === 'open' ? '' : ','
    }
    yield text
    text = ''
  }
  yield ']'
}
