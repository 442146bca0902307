import { deleteSshKey, listSshKeys } from '#contract/api/ssh-key.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'remove the SSH key',
  teamless: true,
  about: 'The key can no longer push or fetch. You can add it again.',
  arguments: { id: required('id, name or fingerprint of the key') },
  examples: [
    ['keys rm laptop', 'ask for confirmation, then remove'],
    ['keys rm laptop --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your keys with `aloft keys ls`.' },
  async run(cli, given) {
    const api = cli.api()
    const { keys } = await api.call(listSshKeys)
    const found = keys.filter((key) => [key.id, key.name, key.fingerprint].includes(given.id))
    const [key, another] = found
    if (key === undefined || another !== undefined)
      throw new CliError(
        EXIT.notFound,
        key === undefined
          ? `You have no SSH key ${plainText(given.id)}.`
          : `You have several SSH keys named ${plainText(given.id)}.`,
        'List your keys with `aloft keys ls`, and pass an id.',
      )
    await cli.prompt.confirm(`Remove the SSH key "${plainText(key.name)}", ${key.fingerprint}?`)
    const removed = await api.call(deleteSshKey, { params: { id: key.id } })
    cli.out.show(removed, () => `Removed the SSH key "${plainText(key.name)}".`)
  },
})
