import { defineCommand, oneOf, required } from '../command.ts'
import { completionScript, SHELLS } from './scripts.ts'
import { buildTree } from './tree.ts'

export const command = defineCommand({
  doing: 'print the completion script',
  teamless: true,
  about: 'The script covers the commands and options of this version. Generate it again after an update.',
  arguments: { shell: required(SHELLS.join(', '), oneOf(SHELLS)) },
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion zsh > ~/.zfunc/_aloft', 'for zsh, in a folder on its fpath'],
    ['completion fish > ~/.config/fish/completions/aloft.fish', 'for fish'],
  ],
  async run(cli, { shell }) {
    const script = completionScript(shell, await buildTree())
    cli.out.show({ shell, script }, () => script.trimEnd())
  },
})
