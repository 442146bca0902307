import { purgeCache } from '#contract/api/cache.ts'
import { defineCommand, flag, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'purge the cache',
  about:
    'Answers of functions, rewrites and pages that are kept for all visitors are made anew when they are asked for.',
  team: true,
  options: {
    tag: values('tag', 'only answers with this tag; can be repeated', (text) => text),
    path: values('path', 'only answers at this path; can be repeated', (text) => text),
    all: flag('everything that is kept of the project'),
    soft: flag('give the old answers while new ones are made'),
    ...projectOption,
  },
  examples: [
    ['cache purge --tag posts', 'what was made with a tag'],
    ['cache purge --all --project shop', 'everything'],
  ],
  hints: { not_found: 'See your projects with `aloft projects ls`.' },
  async run(cli, { tag, path, all, soft, project }) {
    if (!all && tag.length === 0 && path.length === 0)
      throw usageError('What is to be purged?', 'Name a --tag or a --path, or say --all.')
    const { api, idOrName } = await chooseProject(cli, project)
    const answer = await api.call(purgeCache, {
      params: { idOrName },
      body: {
        ...(all ? { all } : {}),
        ...(soft ? { soft } : {}),
        ...(tag.length > 0 ? { tags: [...tag] } : {}),
        ...(path.length > 0 ? { paths: [...path] } : {}),
      },
    })
    cli.out.show(answer, () => `Purged, of ${answer.deployments} deployments.`)
  },
})
