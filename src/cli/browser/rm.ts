import { deleteOtherSessions, deleteSession } from '#contract/api/session.ts'
import { count } from '#contract/wording.ts'
import { defineCommand, flag, optional } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'sign the browser out',
  arguments: { id: optional('id of the session') },
  options: { all: flag('every browser') },
  examples: [
    ['sessions rm 4kTbb1xPBoTqRCUtqdXUkFvG', 'ask, then sign it out'],
    ['sessions rm --all --yes', 'every browser, without asking'],
  ],
  hints: { not_found: 'See where you are signed in with `aloft sessions ls`.' },
  async run(cli, { id, all }) {
    const { out } = cli
    if (all === (id !== undefined)) throw usageError('Name one session, or --all.')
    await cli.prompt.confirm(all ? 'Sign out every browser?' : `Sign out ${plainText(id ?? '')}?`)
    if (id === undefined) {
      const ended = await cli.api().call(deleteOtherSessions)
      return out.show(ended, () => `Signed out ${count(ended.ended, 'browser')}.`)
    }
    const gone = await cli.api().call(deleteSession, { params: { id } })
    out.show(gone, () => `Signed out ${plainText(id)}.`)
  },
})
