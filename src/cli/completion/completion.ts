import { defineCommand, oneOf, required } from '../command.ts'
import { completionScript, SHELLS } from './scripts.ts'
import { buildTree } from './tree.ts'

export const command = defineCommand({
  doing: 'write the completion',
  about: 'The script knows all commands and options of this version; write it anew after an update.',
  arguments: { shell: required(SHELLS.join(', '), oneOf(SHELLS)) },
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion zsh > ~/.zfunc/_aloft', 'for zsh, in a folder of its fpath'],
    ['completion fish > ~/.config/fish/completions/aloft.fish', 'for fish'],
  ],
  async run(cli, { shell }) {
    const script = completionScript(shell, await buildTree())
    cli.out.show({ shell, script }, () => script.trimEnd())
  },
})
