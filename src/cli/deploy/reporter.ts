import type { DeployEvent } from '#client/deploy/deploy-event.ts'
import { showBytes, timeLeft } from '#contract/amounts.ts'
import type { ReadyState } from '#contract/api/deployment.ts'
import { SECOND } from '#contract/time.ts'
import { count } from '#contract/words/wording.ts'
import type { Output } from '../output/output.ts'
import { colouredText, plainText } from '../output/plain-text.ts'
import { createSpinner, REDRAW } from '../output/spinner.ts'

/** What is being done in each state. */
export const DOING: Readonly<Record<ReadyState, string>> = {
  INITIALIZING: 'Waiting for a builder',
  ANALYZING: 'Analyzing files',
  BUILDING: 'Building',
  DEPLOYING: 'Deploying',
  READY: 'Ready',
  ERROR: 'Failed',
}
const WIDTH = 24

/** What was sent, for the summary at the end. */
interface UploadTotals {
  readonly files: number
  readonly bytes: number
}

export interface Reporter {
  on(event: DeployEvent): void
  readonly total: () => UploadTotals
  readonly uploaded: () => UploadTotals
  stop(): void
}

const bar = (part: number): string => {
  const full = Math.round(Math.min(Math.max(part, 0), 1) * WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`
}

const NOTHING: UploadTotals = { files: 0, bytes: 0 }

/** Tells a person how far a deployment is: by a line that is redrawn on a terminal, by plain lines elsewhere. */
export function createReporter(out: Output, now: () => number): Reporter {
  const { dim } = out.talkColors
  let [total, missing, sent] = [NOTHING, NOTHING, NOTHING]
  let uploaded = NOTHING
  let uploadBegan = 0
  let drawnAt = 0
  let failure = ''
  let doing: string | undefined
  const { spin, stop } = createSpinner(out, now)

  const say = (text: string) => {
    if (!out.json) out.say(text)
  }
  const draw = (text: () => string) => {
    if (!out.live || now() - drawnAt < REDRAW) return
    drawnAt = now()
    out.status(text())
  }
  const spinOnce = (text: string) => {
    if (text !== doing) spin(text)
    doing = text
  }
  const endUpload = () => {
    if (missing.files === 0) return
    uploaded = { files: uploaded.files + missing.files, bytes: uploaded.bytes + missing.bytes }
    missing = NOTHING
  }

  return {
    total: () => total,
    uploaded: () => uploaded,
    stop,
    on(event) {
      switch (event.type) {
        case 'collected':
          total = event
          return draw(() => `Found ${count(event.files, 'file')}, ${showBytes(event.bytes)}`)
        case 'hashed':
          return draw(() => `Reading    ${bar(event.files / total.files)}  ${event.files}/${total.files}`)
        case 'missing':
          endUpload()
          missing = event
          sent = NOTHING
          uploadBegan = now()
          if (!out.live)
            say(`Uploading ${event.files} of ${count(total.files, 'file')}, ${showBytes(event.bytes)}…`)
          return
        case 'uploaded':
          sent = event
          return draw(() => {
            const rate = (sent.bytes * SECOND) / Math.max(now() - uploadBegan, 1)
            const part = missing.bytes > 0 ? sent.bytes / missing.bytes : sent.files / missing.files
            const amount = `${showBytes(sent.bytes)} of ${showBytes(missing.bytes)}`
            const left = timeLeft(sent.bytes, missing.bytes, now() - uploadBegan)
            return `Uploading  ${bar(part)}  ${sent.files}/${missing.files} files  ${amount}  ${showBytes(rate)}/s  ${left}`.trimEnd()
          })
        case 'retrying':
          // Said once, however often it is asked again.
          if (event.error.message === failure) return
          failure = event.error.message
          return say(`${plainText(failure)} Trying again…`)
        case 'created':
          endUpload()
          total = { files: total.files, bytes: total.bytes }
          return say(
            dim(
              uploaded.files === 0
                ? `Nothing to upload: ${count(total.files, 'file')} known, ${showBytes(total.bytes)}.`
                : `Uploaded ${uploaded.files} of ${count(total.files, 'file')}, ${showBytes(uploaded.bytes)}.`,
            ),
          )
        case 'redeployed':
          return say(
            dim(`Redeploying the files of ${plainText(event.of)} as ${plainText(event.deployment.id)}.`),
          )
        case 'state':
          return event.state === 'READY' || event.state === 'ERROR' ? stop() : spinOnce(DOING[event.state])
        case 'log':
          // The first lines of a build are often there before its state is asked for again.
          if (doing === DOING.INITIALIZING) spinOnce(DOING.BUILDING)
          return say(`${dim('│')} ${colouredText(event.entry.payload.text, out.talkColors)}`)
        case 'ready':
        case 'error':
          return stop()
      }
    },
  }
}
