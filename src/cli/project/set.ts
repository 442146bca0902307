import { PROJECT_NODE_VERSIONS } from '#contract/api/node-versions.ts'
import { FRAMEWORKS, updateProject } from '#contract/api/project.ts'
import { SECOND } from '#contract/time.ts'
import { given as changes, defineCommand, oneOf, optional, orNull, readSwitch, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { readDuration } from '../output/duration.ts'
import { plainText } from '../output/plain-text.ts'
import { withoutBypass } from './bypass/without-bypass.ts'
import { chooseProject } from './choose-project.ts'

const AUTO = 'auto'
const line = (placeholder: string, about: string) => value(placeholder, about, orNull(AUTO))
const OFF = 'off'
/** In seconds, as the API has it. */
const readSkew = (text: string): number => (text === OFF ? 0 : Math.floor(readDuration(text) / SECOND))
const onOff = (about: string) => value('on or off', about, readSwitch)

export const command = defineCommand({
  doing: 'change the project',
  about: `Settings you do not pass stay unchanged. \`${AUTO}\` restores the default of the framework. Changes apply to new deployments, except for --directory-listing, --public-source and --skew-protection, which take effect immediately.`,
  arguments: { project: optional('project id or name; defaults to the linked project') },
  options: {
    name: value('name', 'new name; URLs with the old name stay as they are'),
    framework: value('name', `framework, such as nextjs, or ${AUTO}`, (text) =>
      text === AUTO ? null : oneOf(FRAMEWORKS)(text),
    ),
    installCommand: line('command', 'command that installs dependencies'),
    buildCommand: line('command', 'build command'),
    devCommand: line('command', 'development command'),
    outputDirectory: line('folder', 'output folder of the build'),
    rootDirectory: line('folder', 'folder of the project in the repository'),
    outsideRoot: onOff('whether the build can read source files outside that folder'),
    ignoreCommand: line('command', 'command that exits with 0 to skip the build'),
    productionBranch: value(
      'branch',
      `production branch, or ${AUTO} for main or the default branch of the repository`,
      orNull(AUTO),
    ),
    nodeVersion: value('version', PROJECT_NODE_VERSIONS.join(', '), oneOf(PROJECT_NODE_VERSIONS)),
    systemEnv: onOff('whether builds and functions get the system variables'),
    autoAssignDomains: onOff('whether new production deployments go live automatically'),
    emailOnFailedBuild: onOff('whether the person who deployed gets an email when a build fails'),
    directoryListing: onOff('whether folders without an index page list their files'),
    skewProtection: value(
      'time',
      `how long open pages keep using the deployment they were loaded from, such as 12h, or ${OFF}`,
      readSkew,
    ),
    publicSource: onOff('whether every signed-in user can read the files of its deployments'),
  },
  examples: [
    ['projects set --build-command "npm run site" --output-directory out', 'of the linked project'],
    ['projects set shop --framework auto --build-command auto', 'detect them automatically again'],
    ['projects set shop --production-branch trunk', 'pushes to trunk go live'],
    ['projects set shop --directory-listing on', 'list the files of folders'],
    [
      'projects set shop --skew-protection 12h',
      'keep serving pages that were loaded before a new deployment',
    ],
  ],
  hints: {
    conflict: 'Choose another name, or list your projects with `aloft projects ls`.',
    not_found: 'List your projects with `aloft projects ls`.',
  },
  async run(cli, given) {
    const body = changes({
      name: given.name,
      framework: given.framework,
      installCommand: given.installCommand,
      buildCommand: given.buildCommand,
      devCommand: given.devCommand,
      outputDirectory: given.outputDirectory,
      rootDirectory: given.rootDirectory,
      sourceFilesOutsideRootDirectory: given.outsideRoot,
      commandForIgnoringBuildStep: given.ignoreCommand,
      productionBranch: given.productionBranch,
      nodeVersion: given.nodeVersion,
      autoExposeSystemEnvs: given.systemEnv,
      autoAssignCustomDomains: given.autoAssignDomains,
      emailOnFailedBuild: given.emailOnFailedBuild,
      directoryListing: given.directoryListing,
      skewProtectionMaxAge: given.skewProtection,
      publicSource: given.publicSource,
    })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change: pass at least one option.')
    const { api, idOrName } = await chooseProject(cli, given.project)
    const changed = await api.call(updateProject, { params: { idOrName }, body })
    cli.out.show(withoutBypass(changed), () => `Changed ${plainText(changed.name)}.`)
  },
})
