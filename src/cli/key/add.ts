import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addSshKey } from '#contract/api/ssh-key.ts'
import { defineCommand, required, value } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

const MAX_BYTES = 10_000

export const command = defineCommand({
  doing: 'add the SSH key',
  teamless: true,
  about: 'Adds a public key, the file that ends in .pub. The private key never leaves your machine.',
  arguments: { file: required('file that ends in .pub') },
  options: { name: value('name', 'name to recognize it by; the comment of the key by default') },
  examples: [
    ['keys add ~/.ssh/id_ed25519.pub', 'add a key under its comment'],
    ['keys add ~/.ssh/id_ed25519.pub --name laptop', 'add it under another name'],
  ],
  hints: { conflict: 'See your keys with `aloft keys ls`.' },
  async run(cli, { file, name }) {
    const publicKey = await readKey(resolve(cli.cwd, file))
    const added = await cli.api().call(addSshKey, {
      body: { publicKey, ...(name === undefined ? {} : { name }) },
    })
    const { key } = added
    cli.out.show(added, () => `Added the SSH key "${plainText(key.name)}", ${key.fingerprint}.`)
  },
})

/** A private key that was named by mistake is not sent anywhere. */
async function readKey(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      EXIT.usage,
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read: ${error.message}`,
      'Create a key with `ssh-keygen -t ed25519`.',
    )
  })
  if (text.includes('PRIVATE KEY'))
    throw new CliError(
      EXIT.usage,
      `${path} is a private key. It was not sent.`,
      `Pass the file that ends in .pub: aloft keys add ${path}.pub`,
    )
  if (text.trim() === '' || text.length > MAX_BYTES)
    throw new CliError(
      EXIT.usage,
      `${path} is not a public key.`,
      'Create a key with `ssh-keygen -t ed25519`.',
    )
  return text.trim()
}
