import { followChanges } from '#client/follow/follow-changes.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from '#contract/api/change.ts'
import { accountApi } from '../account.ts'
import { defineCommand, readCount, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { localTime } from '../output/local-time.ts'
import type { Colors } from '../output/output.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'follow the changes of the account',
  about:
    'Prints one line per change until you press Ctrl-C. A change says what was modified, not its new value.',
  options: {
    kind: value('kinds', `only these kinds, separated by commas: ${CHANGE_KINDS.join(', ')}`, readKinds),
    limit: value('count', 'stop after this many changes', readCount(1_000_000)),
  },
  examples: [
    ['changes', 'follow all changes'],
    ['changes --kind deployment --json', 'one line of JSON per deployment change'],
    ['changes --kind certificate --limit 1', 'wait for the next certificate'],
  ],
  async run(cli, { kind: kinds, limit = Number.POSITIVE_INFINITY }) {
    const { out } = cli
    const api = await accountApi(cli)
    const onBegin = () => {
      if (!out.json) out.say('Waiting for changes. Press Ctrl-C to stop.')
    }
    let seen = 0
    for await (const change of followChanges(api, { onBegin })) {
      if (kinds !== undefined && !kinds.includes(change.kind)) continue
      out.line({ at: Date.now(), ...change }, () => changeLine(change, out.colors))
      if (++seen >= limit) return
    }
  },
})

function changeLine({ kind, id, projectId }: Change, colors: Colors): string {
  const project = projectId === undefined || projectId === id ? '' : colors.dim(` in ${plainText(projectId)}`)
  return `${colors.dim(localTime(Date.now()))}  ${colors.cyan(kind.padEnd(14))} ${plainText(id ?? 'several')}${project}`
}

function readKinds(text: string): readonly ChangeKind[] {
  return text.split(',').map((word) => {
    const kind = CHANGE_KINDS.find((each) => each === word.trim())
    if (kind === undefined)
      throw usageError(`"${plainText(word)}" is not a kind of change.`, `Use: ${CHANGE_KINDS.join(', ')}.`)
    return kind
  })
}
