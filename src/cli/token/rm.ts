import { deleteToken, getToken } from '#contract/api/token.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { resolveTokenId } from './token-id.ts'

export const command = defineCommand({
  doing: 'revoke the token',
  teamless: true,
  about: 'Anything that uses the token stops working immediately. This cannot be undone.',
  arguments: { id: required('id of the token or its first characters; `current` for the one in use') },
  examples: [
    ['tokens rm 3f9a1c0b7d2e', 'ask for confirmation, then revoke'],
    ['tokens rm 3f9a1c0b7d2e --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your tokens with `aloft tokens ls`.' },
  async run(cli, given) {
    const api = cli.api()
    const id = await resolveTokenId(api, given.id)
    const { token } = await api.call(getToken, { params: { id } })
    await cli.prompt.confirm(
      `Revoke the token "${plainText(token.name)}"? Anything that uses it stops working.`,
    )
    const revoked = await api.call(deleteToken, { params: { id: token.id } })
    cli.out.show(revoked, () => `Revoked the token "${plainText(token.name)}".`)
  },
})
