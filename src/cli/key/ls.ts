import { listSshKeys } from '#contract/api/ssh-key.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderTable } from '../output/table.ts'

export const command = defineCommand({
  doing: 'list your SSH keys',
  teamless: true,
  about: 'Also shows the SSH address of the server and the fingerprint of its host key.',
  examples: [
    ['keys ls', 'your keys, newest first'],
    ['keys ls --json', 'with the full public keys, as JSON'],
  ],
  async run(cli) {
    const { out } = cli
    const now = cli.now()
    const listed = await cli.api().call(listSshKeys)
    const { keys, server } = listed
    if (keys.length === 0 && !out.json)
      out.say('No SSH keys yet. Add one: aloft keys add ~/.ssh/id_ed25519.pub')
    else
      out.show(listed, () =>
        renderTable(
          ['ID', 'NAME', 'FINGERPRINT', 'ADDED', 'USED'],
          keys.map(({ id, name, fingerprint, createdAt, usedAt }) => [
            id,
            plainText(name),
            fingerprint,
            relativeTime(createdAt, now),
            usedAt === null ? 'never' : relativeTime(usedAt, now),
          ]),
          out.colors,
          out.width,
        ),
      )
    if (out.json) return
    out.say(
      server === null
        ? 'SSH is disabled on this server; its operator can enable it with ALOFT_SSH_PORT. You can push over HTTP with a token.'
        : `Push to ssh://git@${server.host}:${server.port}/<account>/<project>.git; the host key is ${server.hostKeyFingerprint}.`,
    )
  },
})
