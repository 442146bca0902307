import { AloftError } from '#contract/errors.ts'
import { amountOf } from '#contract/limit/quota-amount.ts'
import type { QuotaName } from '#contract/limit/quotas.ts'
import { resetOf } from './period.ts'

interface Exceeded {
  readonly quota: QuotaName
  readonly limit: number
  readonly used: number
}

type QuotaWords = (limit: string, used: string) => string

/** Of what an account has until somebody deletes it. */
const kept: QuotaWords = (limit, used) =>
  `Your plan allows ${limit}, and you have ${used}. Delete those that you no longer need.`

/** What is allowed, what is used, and what to do about it. */
const WORDS: Readonly<Record<QuotaName, QuotaWords>> = {
  instances: (limit, used) =>
    `Your plan allows ${limit} at the same time, and ${used} are in use. Wait for some to become idle, or scale other deployments down.`,
  keptInstances: (limit, used) =>
    `Your plan allows ${limit}, and other deployments use ${used}. Scale some of them down.`,
  memoryMb: (limit, used) =>
    `Your plan allows ${limit} of memory for all running instances together, and ${used} are in use. Give functions less \`memory\`, or scale other deployments down.`,
  contentBytes: (limit, used) =>
    `Your plan allows ${limit} of storage, and ${used} are used by files and Git repositories. Delete deployments and projects that you no longer need: files that no deployment has used for a day are removed.`,
  deployments: kept,
  buildMinutes: (limit, used) =>
    `Your plan allows ${limit} of build time a month, and ${used} are used. Builds can run again when the next month begins.`,
  logBytes: (limit, used) =>
    `Your plan allows ${limit} of log entries a day, and ${used} are used. Recording resumes when the next day begins (UTC).`,
  projects: kept,
  aliases: kept,
  domains: kept,
  certificates: kept,
  secrets: kept,
  members: (limit, used) => `The plan of the team allows ${limit}, and it has ${used}. Remove some of them.`,
  teams: (limit, used) =>
    `Your plan allows ${limit}, and you have created ${used}. Ask the operator of the installation for more.`,
  tokens: kept,
}

export const quotaWords = ({ quota, limit, used }: Exceeded): string =>
  WORDS[quota](amountOf(quota, limit), amountOf(quota, used))

export function quotaExceeded({ quota, limit, used }: Exceeded, now: number, hint?: string): AloftError {
  const reset = resetOf(quota, now)
  const words = quotaWords({ quota, limit, used })
  return new AloftError('quota_exceeded', hint === undefined ? words : `${words} ${hint}`, {
    ...{ quota, limit, used },
    ...(reset === undefined ? {} : { reset }),
  })
}
