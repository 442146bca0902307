import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { createProject, FRAMEWORKS, updateProject } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, oneOf, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { withoutBypass } from './bypass/without-bypass.ts'

export const command = defineCommand({
  doing: 'create the project',
  about: 'The first deployment also creates the project; use this to set it up beforehand.',
  arguments: { name: required('name, unique in the account: a-z, 0-9, -, _ and .') },
  options: {
    framework: value('name', 'framework, such as nextjs; detected by default', oneOf(FRAMEWORKS)),
    buildCommand: value('command', 'build command'),
    outputDirectory: value('folder', 'output folder of the build'),
    rootDirectory: value('folder', 'folder of the project in the repository'),
  },
  examples: [
    ['projects add shop', 'a project'],
    ['projects add shop --framework nextjs --root-directory apps/shop', 'one folder of a repository'],
  ],
  hints: { conflict: 'Choose another name, or list your projects with `aloft projects ls`.' },
  async run(cli, { name, framework, buildCommand, outputDirectory, rootDirectory }) {
    const { out } = cli
    const api = await accountApi(cli)
    const { id } = await api.call(createProject, {
      body: {
        name,
        ...(framework === undefined ? {} : { framework }),
        ...(buildCommand === undefined ? {} : { buildCommand }),
        ...(outputDirectory === undefined ? {} : { outputDirectory }),
        ...(rootDirectory === undefined ? {} : { rootDirectory }),
      },
    })
    // The endpoint that creates one takes no version.
    const created = await api.call(updateProject, {
      params: { idOrName: id },
      body: { nodeVersion: NEW_PROJECT_NODE_VERSION },
    })
    if (!out.json) out.say(`Created the project ${plainText(created.name)}.`)
    out.show(withoutBypass(created), () => created.id)
  },
})
