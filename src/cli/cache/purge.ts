import { purgeCache } from '#contract/api/cache.ts'
import { count } from '#contract/words/wording.ts'
import { defineCommand, flag, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'purge the cache',
  about: 'Removes cached responses of functions, rewrites and pages. The next request generates them again.',
  options: {
    tag: values('tag', 'only responses with this tag; can be repeated', (text) => text),
    path: values('path', 'only responses at this path; can be repeated', (text) => text),
    all: flag('all cached responses of the project'),
    soft: flag('serve stale responses while new ones are generated'),
    ...projectOption,
  },
  examples: [
    ['cache purge --tag posts', 'responses with a tag'],
    ['cache purge --all --project shop', 'all cached responses of a project'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { tag, path, all, soft, project }) {
    if (!all && tag.length === 0 && path.length === 0)
      throw usageError('Nothing to purge.', 'Pass --tag, --path or --all.')
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
    cli.out.show(answer, () => `Purged in ${count(answer.deployments, 'deployment')}.`)
  },
})
