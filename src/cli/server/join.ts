import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '#client/client.ts'
import { joinInstallation } from '#contract/api/machine.ts'
import { joinId, openJoin } from '#contract/join-seal.ts'
import { defineCommand, oneOf, required, value } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { ROLES } from './server.ts'

const FILE = 'aloft.config.json'

export const command = defineCommand({
  doing: 'join the installation',
  teamless: true,
  about:
    'Run it on a machine that will become part of an installation, with the URL and invitation that `aloft operator join` prints. It writes aloft.config.json to this folder, readable only by you; `aloft server` uses it.',
  arguments: {
    url: required('URL of the installation'),
    invitation: required('token printed by `aloft operator join`'),
  },
  options: {
    address: value(
      'address:port',
      'IP address or host name, and port, where other machines reach the functions of this one',
    ),
    role: value('kind', `${ROLES.join(', ')}: role of this machine`, oneOf(ROLES)),
  },
  examples: [['join https://aloft.example.com kT3b… --address 10.0.0.2:7443', 'as the second machine']],
  hints: { forbidden: 'Create a new invitation with `aloft operator join`.' },
  async run(cli, { url, invitation, address, role = 'all' }) {
    const file = join(cli.cwd, FILE)
    if (existsSync(file))
      throw new CliError(EXIT.failure, `${FILE} already exists here.`, 'Join in another folder, or move it.')
    if (!URL.canParse(url)) throw usageError(`"${url}" is not a valid URL.`)
    // Of the token only a hash is sent, and what comes back is sealed with it.
    const { sealed } = await createClient({ baseUrl: url }).call(joinInstallation, {
      body: { id: joinId(invitation) },
    })
    const settings = {
      ...openJoin(sealed, invitation),
      ...(address === undefined ? {} : { ALOFT_CLUSTER_ADDRESS: address }),
    }
    writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    const start = role === 'all' ? 'aloft server' : `aloft server --role ${role}`
    cli.out.show({ file, start }, () => `Wrote ${FILE}. Start this machine with: ${start}`)
  },
})
