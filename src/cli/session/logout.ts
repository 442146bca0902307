import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { deleteToken } from '#contract/api/token.ts'
import { defineCommand, flag } from '../command.ts'

export const command = defineCommand({
  doing: 'log out; you are still logged in',
  teamless: true,
  options: { local: flag('only delete the stored token, if the installation cannot be reached') },
  examples: [
    ['logout', 'log out of the installation you last logged in to'],
    ['logout --base-url https://aloft.example.com', 'log out of another installation'],
  ],
  async run(cli, { local }) {
    const { auth, out, baseUrl } = cli
    const stored = auth.find(baseUrl)
    if (stored) {
      if (!local) await revoke(cli.apiWith(stored.token))
      auth.forget(baseUrl, stored.token)
    }
    out.show({ baseUrl, loggedOut: stored !== undefined, revoked: stored !== undefined && !local }, () =>
      stored ? `Logged out of ${baseUrl}.` : `You were not logged in to ${baseUrl}.`,
    )
    const named = cli.namedToken()
    if (named) out.say(`note: ${named.from} is set and still in use.`)
  },
})

/** A token that is not valid any more needs no revoking. */
async function revoke(api: Client): Promise<void> {
  try {
    await api.call(deleteToken, { params: { id: 'current' } })
  } catch (error) {
    if (!(error instanceof ApiError && error.extra.invalidToken === true)) throw error
  }
}
