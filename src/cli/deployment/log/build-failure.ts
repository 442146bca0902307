import type { Client } from '#client/client.ts'
import { readLog } from '#client/follow/log-events.ts'
import { buildHint } from '#contract/build/build-hint.ts'
import { errorLinesOf } from '#contract/build/error-lines.ts'
import { terminalText } from '#contract/build/terminal-text.ts'
import type { Colors } from '../../output/output.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Deployment } from '../find-deployment.ts'

/** Enough to hold what a build says at its end. */
const READ = 500

/** What the log says about why a build failed, and what to try. */
interface BuildFailure {
  readonly lines: readonly string[]
  readonly hint: string
}

export async function readFailure(
  api: Client,
  { id, errorCode, errorMessage }: Pick<Deployment, 'id' | 'errorCode' | 'errorMessage'>,
): Promise<BuildFailure> {
  // That it failed is known already and is told even if the log cannot be read.
  const newest = await readLog(api, id, { builds: true, direction: 'backward', limit: READ }).catch(() => [])
  const lines = errorLinesOf(newest.toReversed(), 0, errorMessage).map(({ line }) =>
    terminalText(line.payload.text),
  )
  return { lines, hint: buildHint(errorCode, lines) }
}

export const quoted = (lines: readonly string[], colors: Colors): string =>
  lines.map((line) => `${colors.red('│')} ${plainText(line)}`).join('\n')
