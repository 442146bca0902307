import { setReleaseConfig } from '#contract/api/release.ts'
import { MINUTE } from '#contract/time.ts'
import { defineCommand, flag, oneOf, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { readDuration } from '../output/duration.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { HINTS } from './release.ts'

/** `10:5m,50` → a tenth for five minutes, then half until somebody agrees, then everybody. */
function readStages(text: string) {
  const stages = text.split(',').map((part) => {
    const [share = '', time] = part.trim().split(':')
    const targetPercentage = Number(share.replace(/%$/, ''))
    if (share === '' || !(targetPercentage >= 0 && targetPercentage <= 100))
      throw new TypeError(`"${part}" is not a stage: write a percentage and a duration, as in 10:5m`)
    return time === undefined
      ? { targetPercentage, requireApproval: true }
      : { targetPercentage, duration: readDuration(time) / MINUTE }
  })
  return stages.at(-1)?.targetPercentage === 100 ? stages : [...stages, { targetPercentage: 100 }]
}

export const command = defineCommand({
  doing: 'set up releases',
  about:
    'Starting with the next production deployment, each new deployment reaches visitors in stages: a growing share of visitors gets it and keeps it. A stage without a duration waits for `aloft releases approve`.',
  options: {
    stages: value('stages', 'percentage and duration of each stage, as in 10:5m,50:1h', readStages),
    linear: flag('increase gradually between stages instead of in steps'),
    watch: value(
      'action',
      'what to do when the new deployment has more errors or is slower: rollback, pause or nothing',
      oneOf(['rollback', 'pause', 'nothing']),
    ),
    header: flag('mark responses of the new deployment with x-rolling-release: canary'),
    ...projectOption,
  },
  examples: [
    ['releases set --stages 10:5m,50:10m', '10% for 5 minutes, 50% for 10 minutes, then everyone'],
    ['releases set --stages 5 --watch pause', '5% until you approve; pause if it performs worse'],
  ],
  hints: HINTS,
  async run(cli, { project, stages, linear, watch = 'rollback', header }) {
    if (stages === undefined) throw usageError('--stages is missing.', 'Example: --stages 10:5m,50:10m')
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(setReleaseConfig, {
      params: { idOrName },
      body: {
        stages: stages.map((stage) => ({ ...stage, ...(linear ? { linearShift: true } : {}) })),
        canaryResponseHeader: header,
        gate: watch === 'nothing' ? null : { action: watch },
      },
    })
    cli.out.show(changed, () => {
      const shares = stages.map(({ targetPercentage }) => `${targetPercentage}%`).join(', ')
      return `Stages of the next production deployment: ${shares}.`
    })
  },
})
