import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { createIssueJob } from '../certificate/issue/issue-job.ts'
import { createCronJob } from '../cron/run-job.ts'
import { createInstallationsJob } from '../git/app/installations.ts'
import { createUnhookJob } from '../git/host/unhook-job.ts'
import { createPushJob } from '../git/push/push-job.ts'
import { createReportJob } from '../git/report-job.ts'
import { createSyncJob } from '../git/source/sync-job.ts'
import { createReviveJob } from '../instance/crash-loop.ts'
import { createMailJob } from '../mail/mail-job.ts'
import { createDeliverJob } from '../webhook/deliver-job.ts'

test('jobs that wait for what an account has named leave room for those of others', () => {
  for (const { kind, atOnce = 0, ofOneAccount = atOnce, givesWayAfter = Number.POSITIVE_INFINITY } of [
    createCronJob({} as never),
    createSyncJob({} as never),
    createPushJob({} as never),
    createReportJob({} as never),
    createIssueJob({} as never),
    createDeliverJob({} as never),
  ]) {
    assert.ok(ofOneAccount < atOnce, kind)
    assert.ok(givesWayAfter <= MINUTE, kind)
  }
})

test('and none of them keeps a mail waiting', () => {
  for (const { kind, apart = 0 } of [
    createInstallationsJob({} as never),
    createUnhookJob({} as never),
    createReviveJob({} as never),
    createMailJob({} as never),
  ])
    assert.ok(apart > 0, kind)
})
