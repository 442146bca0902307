import { deleteOtherSessions, deleteSession } from '#contract/api/session.ts'
import { count } from '#contract/words/wording.ts'
import { defineCommand, flag, optional } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'sign out of the session',
  teamless: true,
  arguments: { id: optional('id of the session') },
  options: { all: flag('all sessions') },
  examples: [
    ['sessions rm 4kTbb1xPBoTqRCUtqdXUkFvG', 'ask for confirmation, then sign it out'],
    ['sessions rm --all --yes', 'all sessions, without confirmation'],
  ],
  hints: { not_found: 'List your sessions with `aloft sessions ls`.' },
  async run(cli, { id, all }) {
    const { out } = cli
    if (all === (id !== undefined)) throw usageError('Pass a session id or --all.')
    await cli.prompt.confirm(
      all ? 'Sign out of all browser sessions?' : `Sign out of session ${plainText(id ?? '')}?`,
    )
    if (id === undefined) {
      const ended = await cli.api().call(deleteOtherSessions)
      return out.show(ended, () => `Signed out ${count(ended.ended, 'browser')}.`)
    }
    const gone = await cli.api().call(deleteSession, { params: { id } })
    out.show(gone, () => `Signed out ${plainText(id)}.`)
  },
})
